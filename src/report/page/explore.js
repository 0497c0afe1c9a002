// Controls for queue, workers, read-ahead and consumer time, over predictions that the report contains.

const controls = [
  ["max_queue_size", (value) => plural(value, "batch").replace("batchs", "batches")],
  ["workers", (value) => plural(value, "thread")],
  ["read_ahead", (value) => plural(value, "read")],
  ["consumer_s", (value) => `${value > 0 ? say.seconds(value) : "0 ms"} a batch`],
];
const controlNames = { consumer_s: "the consumer takes" };

// What the page shows of one setting: heading, key in the grid's points, unit.
const explored = [["throughput, predicted", "samples_per_s", "rate"], ["the consumer waits, predicted", "consumer_wait", "share"],
  ["data readiness, predicted", "data_readiness", "share"], ["predicted regime", "regime", "word"], ["typical bytes", "total_bytes", "bytes"]];

function exploreSection() {
  const grid = report.grid;
  if (!known(grid)) return undefined;
  const axes = controls.map(([key]) => grid[key]);
  // The index of each control. The last one changes fastest.
  const chosen = axes.map(() => 0);
  axes.reduceRight((rest, values, i) => { chosen[i] = rest % values.length; return Math.floor(rest / values.length); }, grid.now);
  const point = () => axes.reduce((index, values, i) => index * values.length + chosen[i], 0);
  const results = h("dl", { class: "tiles", id: "explored", "aria-live": "polite" });
  const note = h("p", { class: "note" });
  const show = () => {
    const index = point(), found = grid.points[index], now = grid.points[grid.now];
    results.replaceChildren(...explored.map(([name, key, unit]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, figureAt(`grid.points.${index}.${key}`, unit)))));
    note.textContent = !known(found) ? "The budget does not hold this setting."
      : index === grid.now ? "These are the settings now."
        : `${say.times(found.samples_per_s / now.samples_per_s)} of the throughput now, ` +
          `${say.difference(found.total_bytes - now.total_bytes)} in typical bytes.`;
  };
  const rows = controls.map(([key, text], i) => {
    const values = axes[i];
    const name = controlNames[key] ?? key;
    const output = h("output", {}, text(values[chosen[i]]));
    if (values.length < 2) return h("div", { class: "control" }, h("span", {}, name), h("span", {}, "no other value matters"), output);
    const slider = h("input", { type: "range", id: `control-${key}`, min: 0, max: values.length - 1, step: 1, value: chosen[i],
      "aria-valuetext": text(values[chosen[i]]) });
    slider.addEventListener("input", () => {
      chosen[i] = Number(slider.value);
      output.textContent = text(values[chosen[i]]);
      slider.setAttribute("aria-valuetext", output.textContent);
      show();
    });
    return h("div", { class: "control" }, h("label", { for: `control-${key}` }, name), slider, output);
  });
  show();
  return h("section", {}, h("h2", {}, "Try other settings"),
    h("p", { class: "note" }, "Every value is predicted from the measured times, within about 1 % of the table above."),
    h("div", { class: "controls" }, rows), results, note);
}
