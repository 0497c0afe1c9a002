// The page from top to bottom: the answer, phases, advice, depths, then one run at a time.

// The verdict on the settings that ran, in one sentence.
function answer() {
  if (report.profile) return profileAnswer();
  if (report.verdict) return [prose(report.verdict)];
  if (!runs.length) return [report.interrupted ? "Interrupted: nothing was finished." : "There is nothing to show."];
  const why = terms.regimes[ofRun(0, "regime")];
  return [figureAt(pathOf(0, "throughput.samples_per_s"), "rate"), why ? `: ${why}.` : "."];
}

// What to change first.
function consequence() {
  const advice = report.advice;
  if (!known(advice)) return undefined;
  // The verdict of a sweep is measured.
  const predicted = report.command === "sweep" ? "" : advice.verdict.basis === "predicted"
    ? "This is predicted for the given settings. " : judgedApart ? "This is measured after the warm-up. " : "";
  return prose(predicted + (advice.headline ?? ""));
}

function setup() {
  if (report.profile) return profileSetup();
  const plan = runs[0]?.plan;
  if (!plan) return "";
  const all = (key) => [...new Set(runs.map((_, run) => settingOf(run)[key]))];
  const shared = (key, one) => (all(key).length === 1 ? plural(all(key)[0], one) : "");
  const ahead = judgedApart ? at("advice.now.read_ahead") ?? 0 : settingOf(0).read_ahead;
  return [
    report.data, `batches of ${all("batch").join(", ")}`,
    plan.shape === null ? "encoded" : plan.shape?.join("×"), partners > 0 ? `samples/s: a row of ${partners + 1} samples counts once` : counted === "rows" ? "samples/s: blank rows count, too" : "",
    plan.tuned ? `tuned to a queue of ${settingOf(0).max_queue_size}` : "",
    shared("workers", "worker"),
    ahead > 0 && all("read_ahead").length === 1 ? `${plural(ahead, "read")} ahead` : "",
    report.measured_size ? `measured at ${report.measured_size}, the largest size of the schedule that was reached` : "",
    known(report.digest) ? "the time of the digest is the consumer’s, so there is no verdict" : "",
    report.consumer_ms > 0 ? `the consumer takes ${report.consumer_ms} ms a batch` : "",
  ].filter(Boolean).join(" · ");
}

function shortQueue(plan) {
  const byBytes = known(plan.max_queue_bytes) && Math.floor(plan.max_queue_bytes / plan.slab_bytes) <= plan.max_queue_size;
  return `${byBytes ? "--max-queue-bytes" : "--memory-budget"} allows max_queue_size ${plan.max_queue_size}, not ${plan.max_queue_size_requested}.`;
}

function troubles() {
  const found = runs.flatMap((run) => [
    known(run.error) && `${runs.length > 1 ? `max_queue_size ${run.plan?.max_queue_size}: ` : ""}${run.error}`,
    run.plan?.max_queue_size < run.plan?.max_queue_size_requested && shortQueue(run.plan),
    run.interrupted && "Interrupted: the figures are of what was done until then.",
  ]).filter(Boolean);
  return [...new Set(found)].map((text) => h("p", { class: "trouble", role: "alert" }, text));
}

// tune may measure another setting than the one that it judges.
function measuredWith() {
  if (!judgedApart) return "";
  const had = ofRun(0, "plan.read_ahead"), asked = at("advice.now.read_ahead");
  return h("p", { class: "note" }, had !== asked && known(asked)
    ? ["Measured with read_ahead ", figureAt(pathOf(0, "plan.read_ahead"), "count"), " instead of ",
      figureAt("advice.now.read_ahead", "count"), ", which would have taken too long. Its figures and its regime are of ",
      "this run; the verdict at the top of the page is for the given settings."]
    : "These are measured over the whole run, with its start. The verdict and the advice are computed from its timings after the warm-up.");
}

function runFigures(run) {
  const of = runs.length > 1 ? h("p", { class: "of" }, `The run with max_queue_size ${ofRun(run, "plan.max_queue_size")}`) : "";
  const shown = [timeSharesFigure(run), stageTimes(run), ...timeFigures(run), rowTable(run)].filter(Boolean);
  return [of, measuredWith(), tiles(run), h("div", { class: "grid" }, shown)];
}

function runSection() {
  if (!runs.length) return undefined;
  const body = h("div", {});
  const buttons = [];
  const show = (run) => {
    forgetFigures(body);
    body.replaceChildren(...runFigures(run).filter(Boolean));
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(places[i] === run)));
  };
  const places = depths.length ? depths.map((one) => one.run) : [0];
  for (const run of places) {
    const button = h("button", { type: "button" }, String(runs[run].plan?.max_queue_size ?? run + 1));
    button.addEventListener("click", () => { show(run); drawFigures(); markWide(); });
    buttons.push(button);
  }
  show(firstRun());
  return h("section", {}, h("h2", {},
    runs.length > 1 ? "One run of each depth over its time" : judgedApart ? "The run that was measured" : "The run"),
    places.length > 1 ? h("div", { class: "choice", role: "group", "aria-label": "max_queue_size" },
      h("span", {}, "max_queue_size"), buttons) : "", body);
}

function footer() {
  const link = h("a", { href: "#", download: "weir-report.json" }, "Save the report as JSON.");
  link.addEventListener("click", () => {
    link.href = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }));
  });
  const guide = "docs/guide/concepts.md";
  return h("footer", {}, `weir ${report.version}. This page needs no network. `,
    terms.guide ? h("a", { href: encodeURI(`file://${terms.guide}`) }, guide) : guide, " explains its words. ", link);
}

document.getElementById("page").replaceChildren(...[
  h("header", {}, h("p", { class: "command" }, document.title), h("h1", {}, answer()),
    known(consequence()) ? h("p", { class: "consequence" }, consequence()) : "", h("p", { class: "setup" }, setup()), troubles()),
  phasesSection(), adviceSection(), exploreSection(),
  // For one run, its results come first. For several, the depths come first.
  ...(report.runs ? [depthsSection(), runSection()] : [runSection(), depthsSection()]),
  picturesSection(), faultsSection(), footer(),
].filter(Boolean));
drawFigures();
markWide();
addEventListener("resize", markWide);
addEventListener("toggle", markWide, true);

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawFigures);
// Print uses white paper and shows the folded tables.
let folds = [];
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("paper");
  folds = [...document.querySelectorAll("details:not([open])")];
  for (const one of folds) one.open = true;
  drawFigures();
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("paper");
  for (const one of folds) one.open = false;
  drawFigures();
});
