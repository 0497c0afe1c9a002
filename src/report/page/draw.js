// Figures: a chart, its legend and a table of its numbers. A series is {name, points: [{x, y}…],
// colour, dash, marker, hollow, line, area, hatch, stepped, stack, order}. Dash, marker and hatch
// differ too, for readers who cannot tell the colours apart.

Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.plugins.legend.display = false;

function datasetOf(series) {
  const colour = ink(series.colour);
  return {
    type: series.type,
    label: series.name,
    data: series.points,
    borderColor: series.area ? ink("paper") : colour,
    backgroundColor: series.area ? filling(series) : colour,
    borderWidth: series.area ? 1 : 2,
    borderDash: series.dash ?? [],
    pointStyle: series.marker ?? "circle",
    pointRadius: series.marker ? (series.radius ?? 4.5) : 0,
    pointHoverRadius: series.marker ? 6 : 3,
    pointBackgroundColor: series.hollow ? ink("paper") : colour,
    pointBorderColor: colour,
    pointBorderWidth: 2,
    pointHitRadius: 10,
    showLine: series.line !== false,
    stepped: series.stepped ?? false,
    fill: series.fill ?? false,
    stack: series.stack,
    order: series.order,
    barPercentage: 0.8,
    categoryPercentage: 0.9,
    maxBarThickness: 44,
  };
}

function axis(title, more = {}) {
  const { ticks, ...rest } = more;
  return {
    title: { display: Boolean(title), text: title, color: ink("muted"), font: { size: 12 } },
    grid: { color: ink("rule"), borderColor: ink("edge"), tickColor: ink("rule"), drawTicks: true, tickLength: 5 },
    ticks: { color: ink("muted"), padding: 3, maxRotation: 0, font: { size: 12 }, ...ticks },
    ...rest,
  };
}

// A vertical line through the chart with a label at the top or bottom.
const uprightMark = {
  id: "upright",
  beforeDatasetsDraw(chart, _, { x, text, foot }) {
    if (!known(x)) return;
    const { ctx: pen, chartArea: area, scales } = chart;
    const place = scales.x.getPixelForValue(x);
    pen.save();
    pen.strokeStyle = pen.fillStyle = ink("green");
    pen.lineWidth = 1.5;
    pen.setLineDash([2, 3]);
    pen.beginPath();
    pen.moveTo(place, area.top);
    pen.lineTo(place, area.bottom);
    pen.stroke();
    pen.font = `600 12px ${Chart.defaults.font.family}`;
    const toTheLeft = place + pen.measureText(text).width + 10 > area.right;
    pen.textAlign = toTheLeft ? "right" : "left";
    pen.textBaseline = foot ? "bottom" : "top";
    pen.fillText(text, place + (toTheLeft ? -6 : 6), foot ? area.bottom - 4 : area.top + 2);
    pen.restore();
  },
};
Chart.register(uprightMark);

const figures = [];  // [{draw, chart, canvas}…] of the figures on the page

// summary: a sentence for readers who cannot see the chart. options(): options for Chart.js,
// created for each drawing because colours change. drawFigures() draws the figure when it is in the
// page.
// defined: the names in the chart that are terms of weir, and their meanings, [[name, meaning]…].
function figure({ id, title, text, summary, series, type = "line", height = "medium", whole, labels, options, numbers, defined }) {
  const canvas = h("canvas", { id, role: "img", "aria-label": `${title}. ${summary ?? ""}` });
  const legend = h("ul", { class: "legend", "aria-hidden": "true" });
  const element = h("figure", { class: whole ? "figure whole" : "figure" },
    h("figcaption", {}, h("h3", {}, title), text && h("p", {}, text)),
    h("div", { class: `frame ${height}` }, canvas),
    h("div", {}, legend, defined?.length ? h("dl", { class: "defined" },
      defined.map(([name, meaning]) => h("div", {}, h("dt", {}, name), h("dd", {}, meaning)))) : ""),
    numbers && folded(numbers));
  figures.push({
    canvas,
    draw() {
      legend.replaceChildren(...(series.length > 1
        ? series.filter((one) => !one.unnamed).map((one) => h("li", {}, swatch(one), one.name)) : []));
      return new Chart(canvas, {
        type,
        data: { labels, datasets: series.map(datasetOf) },
        options: options(),
      });
    },
  });
  return element;
}

function drawFigures() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.color = ink("ink");
  for (const one of figures) {
    one.chart?.destroy();
    one.chart = one.draw();
  }
}

function forgetFigures(within) {
  for (let i = figures.length - 1; i >= 0; --i) {
    if (!within.contains(figures[i].canvas)) continue;
    figures[i].chart?.destroy();
    figures.splice(i, 1);
  }
}

const tooltip = (title, label) => ({
  displayColors: false,
  backgroundColor: ink("ink"),
  titleColor: ink("paper"),
  bodyColor: ink("paper"),
  callbacks: { title: (items) => (items.length ? title(items[0]) : ""), label },
});
