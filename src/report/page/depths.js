// What a queue's depth costs, and what it buys.

// Depths from 1 to many stand at even distances when each doubles the last.
function depthAxis() {
  const marked = recommendedDepth();
  const shown = [...new Set([...depths.map((group) => group.depth), marked])].filter(known)
    .sort((a, b) => a - b);
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
    upright: known(marked) ? { x: place(marked), text: known(report.advice) ? "recommended" : "enough" } : {},
  };
}

const perDepth = (axisOfDepths, scale, tail) =>
  depths.map((group) => ({ x: axisOfDepths.place(group.depth), y: medianOf(group, tail) / scale }))
    .filter((point) => Number.isFinite(point.y));

function across(axisOfDepths, y) {
  const ends = axisOfDepths.scale();
  return [{ x: ends.min, y }, { x: ends.max, y }];
}

function bytesByDepth(x) {
  const predicted = (tail) => depths.map((group) => medianOf(group, `predicted.${tail}`)).filter(known);
  const most = Math.max(...predicted("float32_bytes"), ...predicted("staging_bytes"));
  const unit = byteUnit(most);
  const budget = ofRun(depths[0].runs[0], "plan.budget_bytes");
  const showsBudget = bounded(budget) && budget < 2 * most;
  const neverFilled = depths.some((group) =>
    medianOf(group, "memory.staging") < medianOf(group, "predicted.staging_bytes"));
  const series = [
    { name: "float32, as it would be", colour: "vermillion", dash: [7, 4], marker: "triangle", hollow: true,
      points: perDepth(x, unit.size, "predicted.float32_bytes") },
    { name: "float16, as it would be", colour: "orange", dash: [3, 3], marker: "rectRot", hollow: true,
      points: perDepth(x, unit.size, "predicted.float16_bytes") },
    { name: "uint8, predicted", colour: "blue", points: perDepth(x, unit.size, "predicted.staging_bytes") },
    { name: "uint8 as held, measured", colour: "blue", marker: "circle", line: false,
      points: perDepth(x, unit.size, "memory.staging") },
    showsBudget && { name: "budget", colour: "ink", dash: [10, 3, 2, 3], points: across(x, budget / unit.size) },
  ].filter((one) => one && one.points.length);
  const beyond = bounded(budget) && !showsBudget ? `The budget, ${say.bytes(budget)}, lies far above.` : undefined;
  return figure({
    id: "bytes-by-depth",
    title: "What a place in the queue costs",
    text: ["Memory of the batches, pixels held as uint8, and what floats would take.",
      neverFilled && " A queue that never fills holds less than it may.", beyond && ` ${beyond}`],
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

function paceByDepth(x) {
  const repeated = depths.some((group) => group.runs.length > 1);
  const ceiling = at("advice.ceiling.samples_per_s");
  const single = depths.flatMap((group) => group.runs.map((run) => (
    { x: x.place(group.depth), y: ofRun(run, "throughput.samples_per_s") })));
  const series = [
    { name: repeated ? "measured, median" : "measured", colour: "blue", marker: "circle",
      points: perDepth(x, 1, "throughput.samples_per_s") },
    { name: "predicted", colour: "vermillion", dash: [6, 4], marker: "triangle", hollow: true,
      points: perDepth(x, 1, "predicted.samples_per_s") },
    repeated && { name: "each run", colour: "sky", marker: "circle", radius: 2, line: false, points: single },
    known(ceiling) && { name: "the most any setting could reach", colour: "ink", dash: [10, 3, 2, 3],
      points: across(x, ceiling) },
  ].filter((one) => one && one.points.length);
  return figure({
    id: "pace-by-depth",
    title: "What it buys",
    text: series.some((one) => one.name === "predicted")
      ? "Throughput as measured, and as predicted from the clocks." : "Throughput as measured.",
    summary: "Throughput by max_queue_size; the table of depths has the numbers.",
    series,
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

// Predicted beside measured, a row a run.
function depthTable() {
  const order = depths.flatMap((group) => group.runs);
  const varies = (tail) => new Set(order.map((run) => ofRun(run, tail))).size > 1;
  const columns = [
    ["max_queue_size", "plan.max_queue_size", "count"],
    varies("plan.workers") && ["workers", "plan.workers", "count"],
    varies("plan.read_ahead") && ["read ahead", "plan.read_ahead", "count"],
    varies("plan.batch") && ["batch", "plan.batch", "count"],
    ["batches, predicted", "predicted.staging_bytes", "bytes"],
    ["batches, measured", "memory.staging", "bytes"],
    ["peak of all", "memory.peak", "bytes"],
    ["samples/s, predicted", "predicted.samples_per_s", "pace"],
    ["samples/s, measured", "throughput.samples_per_s", "pace"],
    ["off by", "predicted_off.samples_per_s", "change"],
    ["waited", "queue.consumer_wait_s", "seconds"],
    ["batch waiting", "queue.data_readiness", "share"],
    ["bound by", "regime", "word"],
  ].filter((column) => column && order.some((run) => known(ofRun(run, column[1]))));
  const rows = order.map((run) => columns.map(([, tail, unit]) => figureAt(pathOf(run, tail), unit)));
  const marked = order.findIndex((run) => ofRun(run, "plan.max_queue_size") === recommendedDepth());
  return h("div", { class: "figure whole" }, h("h3", {}, "Predicted beside measured"),
    table("Every measured depth", columns.map(([heading]) => heading), rows, { marked }));
}

function depthsSection() {
  if (runs.length < 2) return undefined;
  const charts = [];
  if (depths.length > 1) {
    const x = depthAxis();
    charts.push(bytesByDepth(x), paceByDepth(x));
  }
  return h("section", {}, h("h2", {}, "The queue’s depth"), h("div", { class: "grid" }, charts, depthTable()));
}
