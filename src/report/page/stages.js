// Duration of each stage.

const percentiles = [
  ["p50", "p50_us", "blue", "circle", false],
  ["p90", "p90_us", "orange", "rectRot", false],
  ["p99", "p99_us", "vermillion", "triangle", false],
];

const isPowerOfTen = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;

function stageTimes(run) {
  const all = ofRun(run, "stages") ?? [];
  const places = all.map((_, i) => i).filter((i) => all[i].count > 0);
  const timed = places.filter((i) => all[i].p50_us > 0 || all[i].p99_us > 0);
  if (!timed.length) return undefined;
  const points = (key) => timed.map((i, y) => ({ x: all[i][key], y })).filter((point) => point.x > 0);
  // A gap after each line.
  const ranges = timed.flatMap((i, y) => [
    { x: Math.max(all[i].p50_us, 1e-3), y }, { x: all[i].p99_us, y }, { x: NaN, y: NaN }]);
  const series = [
    ...percentiles.map(([name, key, colour, marker, hollow]) =>
      ({ name, colour, marker, hollow, line: false, radius: 5, points: points(key) }))
      .filter((one) => one.points.length),
    { name: "p50 to p99", colour: "grey", points: ranges, unnamed: true },
  ];
  const path = (i, key) => pathOf(run, `stages.${i}.${key}`);
  const columns = [["count", "count", "count"], ["total", "busy_s", "seconds"], ["mean", "mean_us", "micros"],
    ["p50", "p50_us", "micros"], ["p90", "p90_us", "micros"], ["p99", "p99_us", "micros"], ["bytes", "bytes", "bytes"]]
    .filter(([, key]) => places.some((i) => known(all[i][key])));
  return figure({
    id: "stage-times",
    title: "How long each stage takes",
    text: "Median (p50), 90th and 99th percentile (p90, p99) of each stage. The scale is logarithmic.",
    summary: timed.map((i) => `${all[i].name} ${say.micros(all[i].p50_us)} at the median`).join(", "),
    series,
    defined: timed.map((i) => [all[i].name, terms.stages[all[i].name] ?? ""]),
    height: "short",
    options: () => ({
      scales: {
        x: axis("time for one", { type: "logarithmic", max: 1.4 * Math.max(...timed.map((i) => all[i].p99_us)),
          grid: { color: ({ tick }) => (isPowerOfTen(tick?.value) ? ink("rule") : "transparent"), borderColor: ink("edge") },
          ticks: { callback: (value) => (isPowerOfTen(value) ? say.micros(value).replace(/\.0+ /, " ") : ""), autoSkip: false } }),
        y: axis("", { type: "linear", reverse: true, min: -0.6, max: timed.length - 0.4,
          afterBuildTicks: (scale) => { scale.ticks = timed.map((_, y) => ({ value: y })); },
          ticks: { callback: (y) => all[timed[y]]?.name, color: ink("ink") } }),
      },
      plugins: { tooltip: tooltip((item) => all[timed[item.parsed.y]]?.name,
        (item) => `${item.dataset.label}: ${say.micros(item.parsed.x)}`) },
    }),
    numbers: table("Time by stage", ["stage", "is", ...columns.map(([heading]) => heading)],
      places.map((i) => [all[i].name, terms.stages[all[i].name] ?? "",
        ...columns.map(([, key, unit]) => figureAt(path(i, key), unit))]), { texts: [1] }),
  });
}
