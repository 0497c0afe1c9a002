// The report of the page. A command with several measurements has them in "runs". Otherwise the
// report itself is one run.
const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);
const report = dataOf("report");
// Names and meanings of accounts, stages and regimes, from the tables of the program.
const terms = dataOf("terms");
const runs = report.runs ?? (report.throughput ? [report] : []);

// Cost of each depth from the plan, and the predictions of tune.
const planned = report.depths ?? [];
// tune judges the requested setting, which may differ from the measured one.
const judgedApart = report.command === "tune" && Boolean(report.regime);
// What the settings of a prediction "now" are called.
const ownWord = report.command === "tune" ? "now" : report.command === "plan" ? "planned" : "this run";

const known = (value) => value !== undefined && value !== null;

// For example "runs.0.plan.batch". undefined if any part of the path is missing.
function at(path) {
  return path.split(".").reduce((value, key) => (known(value) ? value[key] : undefined), report);
}

const pathOf = (run, tail) => (report.runs ? `runs.${run}.${tail}` : tail);
const ofRun = (run, tail) => at(pathOf(run, tail));

// The value for no bound is 2^64 - 1, which JSON.parse rounds.
const bounded = (bytes) => known(bytes) && bytes < 2 ** 63;

function median(values) {
  const sorted = values.filter(known).sort((a, b) => a - b);
  if (!sorted.length) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Groups runs by depth: [{depth, runs: [index…]}], sorted.
const depths = (() => {
  const found = new Map();
  runs.forEach((run, index) => {
    const depth = run.plan?.max_queue_size;
    if (!known(depth)) return;
    if (!found.has(depth)) found.set(depth, { depth, runs: [] });
    found.get(depth).runs.push(index);
  });
  return [...found.values()].sort((a, b) => a.depth - b.depth);
})();

const medianOf = (group, tail) => median(group.runs.map((run) => ofRun(run, tail)));
// The run of a group with the speed closest to the median.
function typicalRun(group) {
  const middle = medianOf(group, "throughput.samples_per_s");
  const distance = (run) => Math.abs(ofRun(run, "throughput.samples_per_s") - middle);
  return group.runs.reduce((best, run) => (distance(run) < distance(best) ? run : best));
}

// The smallest depth that repeated runs found to be as fast as any. undefined if they allow no
// conclusion.
const enoughDepth = () => at("conclusion.max_queue_size") ?? undefined;

// The run that is shown first: its depth is the one that is enough or the closest to it.
function firstRun() {
  const wanted = enoughDepth() ?? 1;
  const distance = (group) => Math.abs(Math.log2(group.depth / wanted));
  return depths.length
    ? typicalRun(depths.reduce((best, group) => (distance(group) < distance(best) ? group : best)))
    : 0;
}
