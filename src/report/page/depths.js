// Cost and effect of each queue depth: measured and predicted for sweep, predicted for tune,
// planned for one run.

// Costs are linear in the depth. What a depth brings ends early, so its axis is logarithmic.
function depthAxis(values, marked, word, linear) {
  const shown = [...new Set([...values, marked])].filter(known).sort((a, b) => a - b);
  const place = linear ? (depth) => depth : Math.log2;
  const back = (x) => (linear ? x : 2 ** x);
  const margin = (place(shown.at(-1)) - place(shown[0])) * 0.04;
  const title = (item) => `max_queue_size ${Math.round(back(item.parsed.x))}`;
  const scale = () => axis(`max_queue_size, batches${linear ? "" : ", logarithmic"}`, {
    type: "linear",
    min: place(shown[0]) - margin,
    max: place(shown.at(-1)) + margin,
    afterBuildTicks: (built) => { built.ticks = shown.map((depth) => ({ value: place(depth) })); },
    ticks: { callback: (x) => Math.round(back(x)), autoSkip: true, autoSkipPadding: 8 },
  });
  return {
    place,
    scale,
    // Of a figure whose y axis is y(). `more`: properties of the upright mark.
    options: (y, format, more) => () => ({
      scales: { x: scale(), y: y() },
      plugins: {
        upright: known(marked) ? { x: place(marked), text: word, ...more } : {},
        tooltip: tooltip(title, (item) => `${item.dataset.label}: ${format(item.parsed.y)}`),
      },
    }),
  };
}

function across(axisOfDepths, y) {
  const ends = axisOfDepths.scale();
  return [{ x: ends.min, y }, { x: ends.max, y }];
}

const bytesLook = {
  float32: { name: "float32, computed", colour: "vermillion", dash: [7, 4], marker: "triangle", hollow: true },
  float16: { name: "float16, computed", colour: "orange", dash: [3, 3], marker: "rectRot", hollow: true },
  peak: { name: "predicted peak", colour: "purple", dash: [5, 3], marker: "rect", hollow: true, radius: 7 },
  bound: { name: "slab limit", colour: "blue" },
  measured: { name: "measured peak", colour: "blue", marker: "circle", line: false, order: -1 },
};

// found: [{depth, float32, float16, bound, peak, measured}…], bytes.
function bytesByDepth(x, found) {
  const most = Math.max(...found.flatMap((one) => [one.float32, one.bound]).filter(known));
  const unit = byteUnit(most);
  const budget = ofRun(0, "plan.budget_bytes");
  const showsBudget = bounded(budget) && budget < 2 * most;
  const points = (key) => found.filter((one) => known(one[key]))
    .map((one) => ({ x: x.place(one.depth), y: one[key] / unit.size }));
  const series = [
    ...Object.entries(bytesLook).map(([key, look]) => ({ ...look, points: points(key) })),
    { name: "budget", colour: "ink", dash: [10, 3, 2, 3], points: showsBudget ? across(x, budget / unit.size) : [] },
  ].filter((one) => one.points.length);
  const neverFilled = found.some((one) => (one.measured ?? one.peak) < one.bound);
  const beyond = bounded(budget) && !showsBudget ? `The budget, ${say.bytes(budget)}, is far above.` : undefined;
  const plan = ofRun(0, "plan") ?? {};
  return figure({
    id: "bytes-by-depth",
    title: "Cost of a queue slot",
    text: ["One slot costs ", known(report.sizes ?? runs[0]?.sizes) ? "at most " : "", figureAt(pathOf(0, "plan.slab_bytes"), "bytes"),
      ". The chart has all slabs, as weir holds them", found.some((one) => known(one.float32)) ? ", and what float pixels would take." : ".",
      neverFilled && " A queue that never fills holds less than the slab limit.", beyond && ` ${beyond}`],
    defined: plan.columns?.map(({ name }, i) => [name, figureAt(pathOf(0, `plan.columns.${i}.slot_bytes`), "bytes")]),
    summary: "Memory of batches by max_queue_size; the table of depths has the numbers.",
    series,
    options: x.options(() => axis(unit.name, { beginAtZero: true }), (y) => `${digits(y)} ${unit.name}`),
  });
}

// found: [{depth, most, unused}…], samples.
function aheadByDepth(x, found) {
  const points = (key) => found.filter((one) => known(one[key])).map((one) => ({ x: x.place(one.depth), y: one[key] }));
  return figure({
    id: "ahead-by-depth",
    title: partners > 0 ? "Rows drawn ahead" : "Samples drawn ahead",
    text: `A run draws ${counted} before the consumer takes them. What it has drawn when it stops is never used. After the last sample of all epochs nothing is drawn.`,
    summary: "Samples drawn ahead by max_queue_size; the tables have the numbers.",
    series: [
      { name: "drawn ahead, at most", colour: "ink", points: points("most") },
      { name: "drawn ahead and never used, measured", colour: "vermillion", marker: "circle", dash: [6, 4], order: -1, points: points("unused") },
    ].filter((one) => one.points.length),
    options: x.options(() => axis(counted, { beginAtZero: true }), say.count),
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
    options: x.options(() => axis("samples/s", { beginAtZero: true, grace: "5%" }), say.rate, { foot: true }),
  });
}

const predictedPace = (points) =>
  ({ name: "predicted", colour: "vermillion", dash: [6, 4], marker: "triangle", hollow: true, points });

// ---- of a sweep ----

function sweptCharts() {
  const [slots, x] = [true, false].map((linear) => depthAxis(depths.map((one) => one.depth), enoughDepth(), enoughMark(), linear));
  const repeated = runs.length > depths.length;
  const point = (run, y) => ({ x: x.place(ofRun(run, "plan.max_queue_size")), y });
  const predicted = depths.map((one) => point(one.run, ofRun(one.run, "predicted.samples_per_s"))).filter(({ y }) => known(y));
  return [
    bytesByDepth(slots, depths.map(({ run, depth }) => ({
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
    aheadByDepth(slots, depths.map(({ run, depth }) => ({
      depth,
      most: runs[run].plan.slabs * runs[run].plan.batch,
      unused: ofRun(run, "samples.unused"),
    }))),
  ];
}

// One row per depth: the run closest to the median, and the spread of its runs.
function sweptTables() {
  const inRun = (tail) => ({ run }) => pathOf(run, tail);
  const inSpread = (tail) => (one) => `${one.at}.${tail}`;
  const varies = (tail) => new Set(depths.map(({ run }) => ofRun(run, tail))).size > 1;
  const marked = depths.findIndex(({ depth }) => depth === enoughDepth());
  const of = (title, note, whole, columns) => {
    const shown = [["max_queue_size", inRun("plan.max_queue_size"), "count"], ...columns]
      .filter((column) => column && depths.some((one) => known(at(column[1](one)))));
    return h("div", { class: whole ? "figure whole" : "figure beside" }, h("h3", {}, title), h("p", { class: "note" }, note),
      table(title, shown.map(([heading]) => heading), depths.map((one) => shown.map(([, path, unit]) => figureAt(path(one), unit))),
        { marked }));
  };
  return [
    of(partners > 0 ? "Rows, by depth" : "Samples, by depth", "Of the run closest to the median.", false, [
      ["drawn", inRun("samples.drawn"), "count"],
      ["consumed", inRun("samples.consumed"), "count"],
      ["drawn ahead and never used", inRun("samples.unused"), "count"],
      partners > 0 && ["partners decoded", inRun("samples.partners"), "count"],
    ]),
    of("Throughput and waits, by depth", "Least and most are of the runs of a depth; of four or more, without the slowest and the fastest quarter. The other figures are of the run closest to the median.", true, [
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
    ]),
    of("Memory, by depth", "Of the run closest to the median.", true, [
      ["slab limit", inRun("predicted.staging_bytes"), "bytes"],
      ["predicted peak", inRun("predicted.peak_staging_bytes"), "bytes"],
      ["measured peak", inRun("memory.staging"), "bytes"],
      ["peak off by", inRun("predicted_off.peak_staging_bytes"), "change"],
      ["peak of all accounts", inRun("memory.peak"), "bytes"],
    ]),
  ];
}

// ---- of tune and of one run ----

// tune may judge another depth than the one that it measured.
const ownDepth = () => (report.command === "tune" ? at("advice.now.max_queue_size") : undefined) ?? settingOf(0).max_queue_size;

function plannedCharts() {
  const own = ownDepth();
  const tuned = report.command === "tune";
  // A run with several depths measured none of them.
  const measured = report.moves?.length ? undefined : settingOf(0).max_queue_size;
  const [slots, x] = [true, false].map((linear) => depthAxis(planned.map((one) => one.max_queue_size), own, ownWord, linear));
  const of = (key) => planned.filter((one) => known(one.predicted))
    .map((one) => ({ x: x.place(one.max_queue_size), y: one.predicted[key] }));
  const parts = (key) => of(key).map((point) => ({ ...point, y: 100 * point.y }));
  const charts = [bytesByDepth(slots, planned.map((one) => ({
    depth: one.max_queue_size,
    float32: one.float32_bytes,
    float16: one.float16_bytes,
    bound: one.staging_bytes,
    peak: one.predicted?.peak_staging_bytes,
    measured: !tuned && one.max_queue_size === measured ? at("memory.staging") : undefined,
  })))];
  const ahead = aheadByDepth(slots, planned.map((one) => ({
    depth: one.max_queue_size,
    most: one.samples_ahead,
    unused: one.max_queue_size === measured ? ofRun(0, "samples.unused") : undefined,
  })));
  if (!of("samples_per_s").length) return [...charts, ahead];
  const pace = !tuned && known(measured) && at("throughput.samples_per_s");
  return [...charts,
    paceByDepth(x, [
      pace && { name: "measured", colour: "blue", marker: "circle", line: false, order: -1,
        points: [{ x: x.place(measured), y: pace }] },
      predictedPace(of("samples_per_s")),
    ], `Throughput as predicted from the times of ${tuned ? "the measured" : "this"} run, with its workers and reads ahead.`),
    ahead,
    figure({
      id: "waits-by-depth",
      title: "Remaining waits",
      text: "Data readiness is the share of steps that find a batch ready. All other steps wait.",
      summary: "The consumer’s waiting by max_queue_size; the table of depths has the numbers.",
      series: [
        { name: "data readiness, predicted", colour: "green", marker: "circle", points: parts("data_readiness") },
        { name: "time that the consumer waits, predicted", colour: "vermillion", dash: [6, 4], marker: "triangle", hollow: true,
          points: parts("consumer_wait") },
      ],
      options: x.options(() => axis("%", { min: 0, max: 100 }), (y) => say.share(y / 100)),
    })];
}

function plannedTable() {
  const columns = [
    ["max_queue_size", "max_queue_size", "count"],
    ["slab limit", "staging_bytes", "bytes"],
    ["predicted peak", "predicted.peak_staging_bytes", "bytes"],
    ["as float16", "float16_bytes", "bytes"],
    ["as float32", "float32_bytes", "bytes"],
    [`${counted} drawn ahead, at most`, "samples_ahead", "count"],
    ["samples/s, predicted", "predicted.samples_per_s", "pace"],
    ["consumer waits, predicted", "predicted.consumer_wait", "share"],
    ["data readiness, predicted", "predicted.data_readiness", "share"],
    ["regime, predicted", "predicted.regime", "word"],
  ].filter(([, tail]) => planned.some((_, i) => known(at(`depths.${i}.${tail}`))));
  const rows = planned.map((_, i) => columns.map(([, tail, unit]) => figureAt(`depths.${i}.${tail}`, unit)));
  const depth = ownDepth();
  const predicted = planned.some((one) => known(one.predicted));
  return h("div", { class: "figure whole" },
    h("h3", {}, predicted ? "What each depth would do" : "What each depth may hold"),
    table("By depth", columns.map(([heading]) => heading), rows,
      { marked: planned.findIndex((one) => one.max_queue_size === depth) }));
}

function depthsSection() {
  const section = (...content) => h("section", {}, h("h2", {}, "The queue’s depth"), h("div", { class: "grid" }, ...content));
  if (runs.length > 1) return section(depths.length > 1 ? sweptCharts() : [], sweptTables());
  return planned.length > 1 ? section(plannedCharts(), plannedTable()) : undefined;
}
