// The report in the page. A command that measures several times has them under "runs"; any other
// is one run itself.
const dataOf = (id) => JSON.parse(document.getElementById(id).textContent);
const report = dataOf("report");
// What accounts, stages and regimes are called and mean, from the program's own tables.
const terms = dataOf("terms");
const runs = report.runs ?? (report.throughput ? [report] : []);

// What depths cost by the plan, and what tune predicts of them.
const planned = report.depths ?? [];
// tune judges the setting that was asked for, which may be another than the one it measured.
const judgedApart = report.command === "tune" && Boolean(report.regime);

const known = (value) => value !== undefined && value !== null;

// "runs.0.plan.batch": undefined where anything on the way is missing.
function at(path) {
  return path.split(".").reduce((value, key) => (known(value) ? value[key] : undefined), report);
}

const pathOf = (run, tail) => (report.runs ? `runs.${run}.${tail}` : tail);
const ofRun = (run, tail) => at(pathOf(run, tail));

// No bound is 2^64 - 1, which JSON.parse rounds.
const bounded = (bytes) => known(bytes) && bytes < 2 ** 63;

function median(values) {
  const sorted = values.filter(known).sort((a, b) => a - b);
  if (!sorted.length) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// Runs of one depth belong together: [{depth, runs: [index…]}] by depth.
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
// The run of the group that is nearest to its median pace.
function typicalRun(group) {
  const middle = medianOf(group, "throughput.samples_per_s");
  const distance = (run) => Math.abs(ofRun(run, "throughput.samples_per_s") - middle);
  return group.runs.reduce((best, run) => (distance(run) < distance(best) ? run : best));
}

// The smallest measured queue within 1 % of the fastest.
const enough = (() => {
  const pace = (group) => medianOf(group, "throughput.samples_per_s") ?? 0;
  const fastest = Math.max(...depths.map(pace));
  return depths.find((group) => pace(group) >= 0.99 * fastest);
})();
const fastest = depths.reduce(
  (best, group) =>
    !best || medianOf(group, "throughput.samples_per_s") > medianOf(best, "throughput.samples_per_s")
      ? group : best,
  undefined);
const recommendedDepth = () => at("advice.recommended.max_queue_size") ?? enough?.depth;

// The run that is shown first: measured at the recommended depth, or at the nearest.
function firstRun() {
  const wanted = recommendedDepth();
  const distance = (group) => Math.abs(Math.log2(group.depth / wanted));
  return depths.length
    ? typicalRun(depths.reduce((best, group) => (distance(group) < distance(best) ? group : best)))
    : 0;
}
