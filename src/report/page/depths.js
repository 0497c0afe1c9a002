// Cost and effect of each queue depth: measured and predicted for sweep, predicted for tune,
// planned for one run.

const planPath = () => (runs.length ? pathOf(0, "plan") : "plan");

// If each depth is twice the previous one, the axis has equal distances.
function depthAxis(values, marked, word) {
  const shown = [...new Set([...values, marked])].filter(known).sort((a, b) => a - b);
  const doubling = shown.at(-1) / shown[0] >= 6;
  const place = doubling ? Math.log2 : (depth) => depth;
  const back = (x) => (doubling ? 2 ** x : x);
  const margin = (place(shown.at(-1)) - place(shown[0])) * 0.04;
  return {
    place,
    title: (item) => `max_queue_size ${Math.round(back(item.parsed.x))}`,
    scale: () => axis("max_queue_size, batches", {
      type: "linear",
      min: place(shown[0]) - margin,
      max: place(shown.at(-1)) + margin,
      afterBuildTicks: (scale) => { scale.ticks = shown.map((depth) => ({ value: place(depth) })); },
      ticks: { callback: (x) => Math.round(back(x)), autoSkip: true, autoSkipPadding: 8 },
    }),
    upright: known(marked) ? { x: place(marked), text: word } : {},
  };
}

function across(axisOfDepths, y) {
  const ends = axisOfDepths.scale();
  return [{ x: ends.min, y }, { x: ends.max, y }];
}

const bytesLook = {
  float32: { name: "float32, computed", colour: "vermillion", dash: [7, 4], marker: "triangle", hollow: true },
  float16: { name: "float16, computed", colour: "orange", dash: [3, 3], marker: "rectRot", hollow: true },
  peak: { name: "uint8, predicted peak", colour: "purple", dash: [5, 3], marker: "rect", hollow: true, radius: 7 },
  bound: { name: "uint8, slab limit", colour: "blue" },
  measured: { name: "uint8, measured peak", colour: "blue", marker: "circle", line: false, order: -1 },
};

// found: [{depth, float32, float16, bound, peak, measured}…], bytes.
function bytesByDepth(x, found) {
  const most = Math.max(...found.flatMap((one) => [one.float32, one.bound]).filter(known));
  const unit = byteUnit(most);
  const budget = at(`${planPath()}.budget_bytes`);
  const showsBudget = bounded(budget) && budget < 2 * most;
  const points = (key) => found.filter((one) => known(one[key]))
    .map((one) => ({ x: x.place(one.depth), y: one[key] / unit.size }));
  const series = [
    ...Object.entries(bytesLook).map(([key, look]) => ({ ...look, points: points(key) })),
    { name: "budget", colour: "ink", dash: [10, 3, 2, 3], points: showsBudget ? across(x, budget / unit.size) : [] },
  ].filter((one) => one.points.length);
  const neverFilled = found.some((one) => (one.measured ?? one.peak) < one.bound);
  const beyond = bounded(budget) && !showsBudget ? `The budget, ${say.bytes(budget)}, is far above.` : undefined;
  return figure({
    id: "bytes-by-depth",
    title: "Cost of a queue slot",
    text: ["Memory of the batches, pixels held as uint8, and what floats would take.",
      neverFilled && " A queue that never fills holds less than the slab limit.", beyond && ` ${beyond}`],
    summary: "Memory of batches by max_queue_size; the table of depths has the numbers.",
    series,
    options: {
      make: () => ({
        scales: { x: x.scale(), y: axis(unit.name, { beginAtZero: true }) },
        plugins: {
          upright: x.upright,
          tooltip: tooltip(x.title, (item) => `${item.dataset.label}: ${digits(item.parsed.y)} ${unit.name}`),
        },
      }),
    },
  });
}

// The limit is predicted. If a point lies above it, it is no limit, and the chart does not draw it.
function paceByDepth(x, series, text) {
  const most = at("limit.samples_per_s") ?? at("advice.ceiling.samples_per_s");
  const shown = series.filter((one) => one && one.points.length);
  // Predictions of other settings differ from the limit by rounding.
  const above = (one) => one.points.some(({ y }) => y > (one.name === "predicted" ? 1.01 : 1) * most);
  if (known(most) && !shown.some(above))
    shown.push({ name: known(report.limit) ? "predicted limit of any depth" : "predicted limit of any setting",
      colour: "ink", dash: [10, 3, 2, 3], points: across(x, most) });
  return figure({
    id: "pace-by-depth",
    title: "Effect on throughput",
    text,
    summary: "Throughput by max_queue_size; the table of depths has the numbers.",
    series: shown,
    options: {
      make: () => ({
        scales: { x: x.scale(), y: axis("samples/s", { beginAtZero: true, grace: "5%" }) },
        plugins: {
          upright: { ...x.upright, foot: true },
          tooltip: tooltip(x.title, (item) => `${item.dataset.label}: ${say.rate(item.parsed.y)}`),
        },
      }),
    },
  });
}

const predictedPace = (points) =>
  ({ name: "predicted", colour: "vermillion", dash: [6, 4], marker: "triangle", hollow: true, points });

// ---- of a sweep ----

function sweptCharts() {
  const x = depthAxis(depths.map((one) => one.depth), enoughDepth(), enoughMark());
  const repeated = runs.length > depths.length;
  const point = (run, y) => ({ x: x.place(ofRun(run, "plan.max_queue_size")), y });
  const predicted = depths.map((one) => point(one.run, ofRun(one.run, "predicted.samples_per_s"))).filter(({ y }) => known(y));
  return [
    bytesByDepth(x, depths.map(({ run, depth }) => ({
      depth,
      float32: ofRun(run, "predicted.float32_bytes"),
      float16: ofRun(run, "predicted.float16_bytes"),
      bound: ofRun(run, "predicted.staging_bytes"),
      peak: ofRun(run, "predicted.peak_staging_bytes"),
      measured: ofRun(run, "memory.staging"),
    }))),
    paceByDepth(x, [
      { name: repeated ? "measured, median" : "measured", colour: "blue", marker: "circle",
        points: depths.map((one) => point(one.run, at(`${one.at}.samples_per_s`) ?? ofRun(one.run, "throughput.samples_per_s"))) },
      predictedPace(predicted),
      repeated && { name: "each run", colour: "sky", marker: "circle", radius: 2, line: false,
        points: runs.map((one, run) => point(run, one.throughput.samples_per_s)) },
    ], [predicted.length ? "Throughput as measured, and as predicted from a short run before." : "Throughput as measured.",
      repeated ? " Small dots are single runs." : ""].join("")),
  ];
}

// One row per depth: the run closest to the median, and the spread of its runs.
function sweptTable() {
  const inRun = (tail) => ({ run }) => pathOf(run, tail);
  const inSpread = (tail) => (one) => `${one.at}.${tail}`;
  const varies = (tail) => new Set(depths.map(({ run }) => ofRun(run, tail))).size > 1;
  const columns = [
    ["max_queue_size", inRun("plan.max_queue_size"), "count"],
    ["samples/s, median", inSpread("samples_per_s"), "pace"],
    ["least", inSpread("least_samples_per_s"), "pace"],
    ["most", inSpread("most_samples_per_s"), "pace"],
    ["runs", inSpread("runs"), "count"],
    ["verdict", inSpread("mark"), "word"],
    varies("plan.workers") && ["workers", inRun("plan.workers"), "count"],
    varies("plan.read_ahead") && ["read ahead", inRun("plan.read_ahead"), "count"],
    ["samples/s, predicted", inRun("predicted.samples_per_s"), "pace"],
    ["off by", inRun("predicted_off.samples_per_s"), "change"],
    ["waited, measured", inRun("queue.consumer_wait_s"), "seconds"],
    ["data readiness, measured", inRun("queue.data_readiness"), "share"],
    ["regime", inRun("regime"), "word"],
    ["slab limit", inRun("predicted.staging_bytes"), "bytes"],
    ["predicted peak", inRun("predicted.peak_staging_bytes"), "bytes"],
    ["measured peak", inRun("memory.staging"), "bytes"],
    ["peak off by", inRun("predicted_off.peak_staging_bytes"), "change"],
    ["peak of all accounts", inRun("memory.peak"), "bytes"],
  ].filter((column) => column && depths.some((one) => known(at(column[1](one)))));
  const rows = depths.map((one) => columns.map(([, path, unit]) => figureAt(path(one), unit)));
  const predicted = depths.some(({ run }) => known(ofRun(run, "predicted.samples_per_s")));
  return h("div", { class: "figure whole" }, h("h3", {}, predicted ? "Measured beside predicted, by depth" : "Measured, by depth"),
    h("p", { class: "note" }, "Least and most are of the runs of a depth; of four or more, without the slowest and the fastest quarter. The other figures are of the run closest to the median."),
    table("Every measured depth", columns.map(([heading]) => heading), rows,
      { marked: depths.findIndex(({ run }) => ofRun(run, "plan.max_queue_size_requested") === enoughDepth()) }));
}

// ---- of tune and of one run ----

function plannedCharts() {
  const own = at(`${planPath()}.max_queue_size`);
  const tuned = report.command === "tune";
  const mine = (tuned ? at("advice.now.max_queue_size") : undefined) ?? own;
  const x = depthAxis(planned.map((one) => one.max_queue_size), mine, ownWord);
  const of = (key) => planned.filter((one) => known(one.predicted))
    .map((one) => ({ x: x.place(one.max_queue_size), y: one.predicted[key] }));
  const parts = (key) => of(key).map((point) => ({ ...point, y: 100 * point.y }));
  const charts = [bytesByDepth(x, planned.map((one) => ({
    depth: one.max_queue_size,
    float32: one.float32_bytes,
    float16: one.float16_bytes,
    bound: one.uint8_bytes,
    peak: one.predicted?.peak_staging_bytes,
    measured: !tuned && one.max_queue_size === own ? at("memory.staging") : undefined,
  })))];
  if (!of("samples_per_s").length) return charts;
  const pace = !tuned && at("throughput.samples_per_s");
  return [...charts,
    paceByDepth(x, [
      pace && { name: "measured", colour: "blue", marker: "circle", line: false, order: -1,
        points: [{ x: x.place(own), y: pace }] },
      predictedPace(of("samples_per_s")),
    ], `Throughput as predicted from the times of ${tuned ? "the measured" : "this"} run, with its workers and reads ahead.`),
    figure({
      id: "waits-by-depth",
      title: "Remaining waits",
      text: "Data readiness is the share of steps that find a batch ready. All other steps wait.",
      summary: "The consumer’s waiting by max_queue_size; the table of depths has the numbers.",
      whole: true,
      height: "short",
      series: [
        { name: "data readiness, predicted", colour: "green", marker: "circle", points: parts("data_readiness") },
        { name: "time that the consumer waits, predicted", colour: "vermillion", dash: [6, 4], marker: "triangle", hollow: true,
          points: parts("consumer_wait") },
      ],
      options: {
        make: () => ({
          scales: { x: x.scale(), y: axis("%", { min: 0, max: 100 }) },
          plugins: {
            upright: x.upright,
            tooltip: tooltip(x.title, (item) => `${item.dataset.label}: ${say.share(item.parsed.y / 100)}`),
          },
        }),
      },
    })];
}

function plannedTable() {
  const columns = [
    ["max_queue_size", "max_queue_size", "count"],
    ["slab limit", "uint8_bytes", "bytes"],
    ["predicted peak", "predicted.peak_staging_bytes", "bytes"],
    ["as float16", "float16_bytes", "bytes"],
    ["as float32", "float32_bytes", "bytes"],
    ["samples/s, predicted", "predicted.samples_per_s", "pace"],
    ["consumer waits, predicted", "predicted.consumer_wait", "share"],
    ["data readiness, predicted", "predicted.data_readiness", "share"],
    ["regime, predicted", "predicted.regime", "word"],
  ].filter(([, tail]) => planned.some((_, i) => known(at(`depths.${i}.${tail}`))));
  const rows = planned.map((_, i) => columns.map(([, tail, unit]) => figureAt(`depths.${i}.${tail}`, unit)));
  const depth = (report.command === "tune" ? at("advice.now.max_queue_size") : undefined) ?? at(`${planPath()}.max_queue_size`);
  const predicted = planned.some((one) => known(one.predicted));
  return h("div", { class: predicted ? "figure whole" : "figure beside" },
    h("h3", {}, predicted ? "What each depth would do" : "What each depth may hold"),
    table("By depth", columns.map(([heading]) => heading), rows,
      { marked: planned.findIndex((one) => one.max_queue_size === depth) }));
}

function depthsSection() {
  const section = (...content) => h("section", {}, h("h2", {}, "The queue’s depth"), h("div", { class: "grid" }, ...content));
  if (runs.length > 1) return section(depths.length > 1 ? sweptCharts() : [], sweptTable());
  return planned.length > 1 ? section(plannedCharts(), plannedTable()) : undefined;
}
