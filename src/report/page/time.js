// One run over time: bytes by account, and the queue.

// Accounts from the bottom of the chart to the top. Slabs come first, because their sum changes
// least.
const accounts = terms.accounts.map((account, i) => ({ ...account, ...lookOf(i) }))
  .sort((a, b) => b.slab - a.slab);

const timeAxis = (timeline) => axis("seconds since the stream was opened", {
  type: "linear", min: 0, max: timeline.at(-1).t, ticks: { maxTicksLimit: 9, includeBounds: false },
});
const timeTitle = (item) => `${digits(item.parsed.x)} s`;
const spread = (values) => [Math.min(...values), values.reduce((sum, one) => sum + one, 0) / values.length, Math.max(...values)];

function accountsOverTime(run) {
  const timeline = ofRun(run, "timeline");
  const budget = ofRun(run, "plan.budget_bytes");
  const peak = ofRun(run, "memory.peak") ?? Math.max(...timeline.map((point) => point.live));
  // A trace is memory for its events, not for images.
  const trace = ofRun(run, "plan.trace_bytes") ?? 0;
  const without = (held, name) => held[name] - (name === "index" ? Math.min(trace, held.index) : 0);
  const held = (point, name) => without(point.accounts, name);
  const unit = byteUnit(peak - trace);
  const used = accounts.filter(({ name }) => timeline.some((point) => held(point, name) > 0));
  const series = used.map(({ name, colour, hatch }, i) => ({
    name, colour, hatch, area: true, fill: i ? "-1" : "origin", stack: "live", stepped: true,
    points: timeline.map((point) => ({ x: point.t, y: held(point, name) / unit.size })),
  }));
  const bound = (budget - trace) / unit.size;
  if (bounded(budget) && budget - trace < 1.6 * (peak - trace))
    series.push({ name: trace > 0 ? "budget without the trace" : "budget", colour: "ink", dash: [10, 3, 2, 3], stack: "budget",
      points: [{ x: 0, y: bound }, { x: timeline.at(-1).t, y: bound }] });
  return figure({
    id: "accounts-over-time",
    title: "Where the bytes are",
    whole: true,
    text: ["The accounts add up to live. ",
      known(ofRun(run, "timeline_interval_s")) ? ["A step is ", figureAt(pathOf(run, "timeline_interval_s"), "seconds"), ". "] : "",
      "The peak was ",
      figureAt(pathOf(run, "memory.peak"), "bytes"),
      bounded(budget) ? [" of ", figureAt(pathOf(run, "plan.budget_bytes"), "bytes")] : "", ".",
      trace > 0 ? [" Of that, the trace takes ", figureAt(pathOf(run, "plan.trace_bytes"), "bytes"), " of index; the chart leaves it out."] : ""].flat(2),
    defined: used.map(({ name, meaning }) => [name, meaning]),
    summary: "Bytes by account over time; the table has least, mean and most.",
    series,
    options: () => ({
      interaction: { mode: "index", intersect: false },
      scales: { x: timeAxis(timeline), y: axis(unit.name, { stacked: true, beginAtZero: true }) },
      plugins: { tooltip: tooltip(timeTitle, (item) => `${item.dataset.label}: ${say.bytes(item.parsed.y * unit.size)}`) },
    }),
    numbers: table("Bytes by account, over the points of the chart",
      ["account", "is", "least", "mean", "most", "at the peak"],
      used.map(({ name, meaning }) => [name, meaning,
        ...spread(timeline.map((point) => held(point, name))).map(say.bytes),
        trace > 0 && name === "index" ? say.bytes(without(ofRun(run, "memory.at_peak"), name))
          : figureAt(pathOf(run, `memory.at_peak.${name}`), "bytes")]), { texts: [1] }),
  });
}

function queueOverTime(run) {
  const timeline = ofRun(run, "timeline");
  const depth = settingOf(run).max_queue_size;
  const points = (key) => timeline.map((point) => ({ x: point.t, y: point[key] }));
  const series = [
    { name: "ready", colour: "blue", area: true, fill: "origin", stack: "queue", stepped: true, points: points("ready") },
    { name: "being filled", colour: "sky", hatch: "rising", area: true, fill: "-1", stack: "queue", stepped: true,
      points: points("filling") },
    { name: ofRun(run, "plan.tuned") ? "max_queue_size at the end" : "max_queue_size", colour: "ink", dash: [10, 3, 2, 3], stack: "bound",
      points: [{ x: 0, y: depth }, { x: timeline.at(-1).t, y: depth }] },
  ];
  return figure({
    id: "queue-over-time",
    title: "The queue",
    text: "Batches ready and being filled. If all are ready, the consumer is slower. If none is ready, the consumer waits.",
    summary: "Batches in the queue over time; the table has least, mean and most.",
    series,
    options: () => ({
      interaction: { mode: "index", intersect: false },
      scales: { x: timeAxis(timeline),
        y: axis("batches", { stacked: true, beginAtZero: true, suggestedMax: depth + 0.4, ticks: { precision: 0 } }) },
      plugins: { tooltip: tooltip(timeTitle, (item) => `${item.dataset.label}: ${item.parsed.y}`) },
    }),
    numbers: table("Batches, over the points of the chart", ["state", "least", "mean", "most"],
      [["ready", "ready"], ["being filled", "filling"], ["leased", "leased"]].map(([name, key]) =>
        [name, ...spread(timeline.map((point) => point[key])).map((value) => digits(value))])),
  });
}

function occupancy(run) {
  const shares = ofRun(run, "queue.occupancy");
  return figure({
    id: "occupancy",
    title: "How full the queue was",
    text: "Share of the time with so many batches ready.",
    summary: `No batch was ready for ${say.share(shares[0])} of the time.`,
    type: "bar",
    series: [{ name: "share of the time", colour: "blue", area: true, points: shares.map((share) => 100 * share) }],
    labels: shares.map((_, ready) => ready),
    options: () => ({
      scales: { x: axis("batches ready", { grid: { display: false } }),
        y: axis("% of the time", { beginAtZero: true, suggestedMax: 10 }) },
      plugins: { tooltip: tooltip((item) => `${item.label} ready`, (item) => say.share(item.parsed.y / 100)) },
    }),
    numbers: table("Share of the time by batches ready", ["batches ready", "share of the time"],
      shares.map((_, ready) => [String(ready), figureAt(pathOf(run, `queue.occupancy.${ready}`), "share")])),
  });
}

function timeFigures(run) {
  const timeline = ofRun(run, "timeline") ?? [];
  const shares = ofRun(run, "queue.occupancy") ?? [];
  return [
    timeline.length > 1 && accountsOverTime(run),
    timeline.length > 1 && queueOverTime(run),
    shares.length > 0 && occupancy(run),
  ].filter(Boolean);
}
