// The page from top to bottom: the answer, phases, advice, depths, then one run at a time.

function answer() {
  if (report.profile) return profileAnswer();
  const recommended = at("advice.recommended");
  if (known(recommended)) {
    const place = "advice.recommended";
    return [
      "A queue of ", figureAt(`${place}.max_queue_size`, "count"),
      known(recommended.workers)
        ? [" with ", figureAt(`${place}.workers`, "count"), ` worker${recommended.workers === 1 ? "" : "s"}`] : "",
      recommended.read_ahead > 0 ? [" and ", figureAt(`${place}.read_ahead`, "count"), " reads ahead"] : "",
      " will do: ", figureAt(`${place}.samples_per_s`, "rate"), " in ", figureAt(`${place}.total_bytes`, "bytes"), "."].flat();
  }
  if (depths.length > 1) {
    const run = typicalRun(enough);
    return ["A queue of ", figureAt(pathOf(run, "plan.max_queue_size"), "count"), " will do: ",
      figureAt(pathOf(run, "throughput.samples_per_s"), "rate"), ", ",
      figureAt(pathOf(run, "memory.staging"), "bytes"), " of batches."];
  }
  if (!runs.length) return ["There is nothing to show."];
  const why = terms.regimes[ofRun(0, "regime")];
  return [figureAt(pathOf(0, "throughput.samples_per_s"), "rate"), why ? `: ${why}.` : "."];
}

// The limit of the requested setting. The regime of a run is shown with its own figures.
function verdict() {
  if (!judgedApart) return "";
  return h("p", { class: "verdict" }, "Regime with the given settings: ", figureAt("regime", "word"), `, ${terms.regimes[report.regime]}.`,
    report.regime_why ? ` ${sentence(report.regime_why)}` : "");
}

function consequence() {
  if (known(report.advice)) {
    const why = report.advice.sentences?.[0] ?? report.regime_why;
    return why ? sentence(why) : undefined;
  }
  if (depths.length < 2) return undefined;
  if (enough === fastest)
    return prose(enough === depths[0] ? "None of the deeper ones that were measured was faster."
      : "No smaller one that was measured comes within 1 % of it.");
  const share = medianOf(enough, "throughput.samples_per_s") / medianOf(fastest, "throughput.samples_per_s");
  const bytes = medianOf(enough, "memory.staging") / medianOf(fastest, "memory.staging");
  return prose(`That is ${say.share(share)} of the fastest that was measured, max_queue_size ` +
    `${fastest.depth}, in ${Math.round(100 * bytes)} % of its bytes.`);
}

function setup() {
  if (report.profile) return profileSetup();
  const plan = runs[0]?.plan;
  if (!plan) return "";
  const all = (key) => [...new Set(runs.map((run) => run.plan?.[key]))];
  const shared = (key, one) => (all(key).length === 1 ? plural(plan[key], one) : "");
  const ahead = judgedApart ? at("advice.now.read_ahead") ?? 0 : plan.read_ahead;
  return [
    report.data, `batches of ${all("batch").join(", ")}`, plan.shape && plan.shape.join("×"), shared("workers", "worker"),
    ahead > 0 && all("read_ahead").length === 1 ? `${ahead} reads ahead` : "",
    report.consumer_ms > 0 ? `the consumer takes ${report.consumer_ms} ms a batch` : "",
  ].filter(Boolean).join(" · ");
}

function troubles() {
  return runs.flatMap((run) => [
    known(run.error) && `${runs.length > 1 ? `max_queue_size ${run.plan?.max_queue_size}: ` : ""}${run.error}`,
    run.plan?.max_queue_size < run.plan?.max_queue_size_requested &&
      `The budget holds a queue of ${run.plan.max_queue_size}, not the ${run.plan.max_queue_size_requested} asked for.`,
    run.interrupted && "Interrupted: the figures are of what was done until then.",
  ]).filter(Boolean).map((text) => h("p", { class: "trouble", role: "alert" }, text));
}

// tune may measure another setting than the one that it judges.
function measuredWith() {
  if (!judgedApart) return "";
  const had = ofRun(0, "plan.read_ahead"), asked = at("advice.now.read_ahead");
  return h("p", { class: "note" }, had !== asked && known(asked)
    ? ["Measured with ", figureAt(pathOf(0, "plan.read_ahead"), "count"), " reads ahead instead of ",
      figureAt("advice.now.read_ahead", "count"), ", which would have taken too long. Its figures and its regime are of ",
      "this run; the verdict at the top of the page is for the given settings."]
    : "The verdict and the advice at the head of the page are made from this run’s clocks, once it was warm.");
}

function runFigures(run) {
  const of = runs.length > 1 ? h("p", { class: "of" }, `The run with max_queue_size ${ofRun(run, "plan.max_queue_size")}`) : "";
  const shown = [timeSharesFigure(run), stageTimes(run), ...timeFigures(run)].filter(Boolean);
  return [of, measuredWith(), tiles(run), h("div", { class: "grid" }, shown)];
}

function runSection() {
  if (!runs.length) return undefined;
  const body = h("div", {});
  const buttons = [];
  const show = (run) => {
    forgetFigures(body);
    body.replaceChildren(...runFigures(run).filter(Boolean));
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === run)));
  };
  runs.forEach((one, run) => {
    const button = h("button", { type: "button" }, String(one.plan?.max_queue_size ?? run + 1));
    button.addEventListener("click", () => { show(run); drawFigures(); });
    buttons.push(button);
  });
  show(firstRun());
  return h("section", {}, h("h2", {},
    runs.length > 1 ? "One run over its time" : judgedApart ? "The run that was measured" : "The run"),
    runs.length > 1 ? h("div", { class: "choice", role: "group", "aria-label": "max_queue_size" },
      h("span", {}, "max_queue_size"), buttons) : "", body);
}

function footer() {
  const link = h("a", { href: "#", download: "weir-report.json" }, "Save the report as JSON.");
  link.addEventListener("click", () => {
    link.href = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }));
  });
  return h("footer", {}, `weir ${report.version}. This page is whole: it asks nothing of a network. `, link);
}

document.title = `weir ${report.command}${report.data ? `: ${report.data}` : ""}`;
document.getElementById("page").replaceChildren(...[
  h("header", {}, h("p", { class: "command" }, `weir ${report.command}`), verdict(), h("h1", {}, answer()),
    known(consequence()) ? h("p", { class: "consequence" }, consequence()) : "", h("p", { class: "setup" }, setup()), troubles()),
  phasesSection(), adviceSection(),
  // For one run, its results come first. For several, the depths come first.
  ...(report.runs ? [depthsSection(), runSection()] : [runSection(), depthsSection()]),
  faultsSection(), footer(),
].filter(Boolean));
drawFigures();

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
