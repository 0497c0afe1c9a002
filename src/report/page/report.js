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
const ownWord = report.command === "tune" ? "now" : "this run";

// A row counts once, with its partners and also if it is blank.
const { partners = 0, counted = partners > 0 ? "rows" : "samples" } = (runs[0] ?? report).plan ?? {};

const known = (value) => value !== undefined && value !== null;

// For example "runs.0.plan.batch". undefined if any part of the path is missing.
function at(path) {
  return path.split(".").reduce((value, key) => (known(value) ? value[key] : undefined), report);
}

const pathOf = (run, tail) => (report.runs ? `runs.${run}.${tail}` : tail);
const ofRun = (run, tail) => at(pathOf(run, tail));

// The knobs when the run ended. With automatic tuning, those of the plan are bounds.
const settingOf = (run) => ofRun(run, "setting") ?? ofRun(run, "plan") ?? {};

// The value for no bound is 2^64 - 1, which JSON.parse rounds.
const bounded = (bytes) => known(bytes) && bytes < 2 ** 63;

// Each depth of a sweep: the run closest to the median, and the place of its summary. Of another
// report, its run.
const depths = (report.by_depth?.length
  ? report.by_depth.map((one, i) => ({ run: one.typical_run, at: `by_depth.${i}` })) : runs.map((_, run) => ({ run })))
  .map((one) => ({ ...one, depth: ofRun(one.run, "plan.max_queue_size") })).filter((one) => known(one.depth));

// The depth that the conclusion names, and its mark. Undefined if there is none.
const enoughDepth = () => at("conclusion.max_queue_size") ?? undefined;
const enoughMark = () => report.by_depth?.find((one) => one.max_queue_size === enoughDepth())?.mark ?? "";

// The run that is shown first: its depth is the one of the conclusion or the closest to it.
function firstRun() {
  const distance = (one) => Math.abs(Math.log2(one.depth / (enoughDepth() ?? 1)));
  return depths.length ? depths.reduce((best, one) => (distance(one) < distance(best) ? one : best)).run : 0;
}
