// Runs after the page's own scripts. Writes its results into the page, where --dump-dom prints
// them.
(() => {
  const near = (a, b) => Math.abs(a - b) < 10;

  function pixels(canvas) {
    // Reads from a copy, because Chromium warns about reads of the original.
    const copy = document.createElement("canvas");
    copy.width = canvas.width;
    copy.height = canvas.height;
    const pen = copy.getContext("2d", { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0);
    return pen.getImageData(0, 0, canvas.width, canvas.height).data;
  }

  // Counts the colours of a canvas.
  function paint(canvas) {
    const data = pixels(canvas);
    const colours = new Map();
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 250) continue;
      const key = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
      colours.set(key, (colours.get(key) ?? 0) + 1);
    }
    return colours;
  }

  function pixelsOf(colours, colour) {
    const wanted = parseInt(colour.slice(1), 16);
    let sum = 0;
    for (const [key, count] of colours)
      if (near(key >> 16, wanted >> 16) && near((key >> 8) & 255, (wanted >> 8) & 255) && near(key & 255, wanted & 255))
        sum += count;
    return sum;
  }

  // The text of the vertical line, and the label of its tick.
  function mark(drawn) {
    const { x, text } = drawn.options.plugins.upright ?? {};
    if (x === undefined) return null;
    const tick = drawn.scales.x.ticks.find((one) => Math.abs(one.value - x) < 1e-9);
    return { text, at: Number(tick?.label) };
  }

  function chart(canvas) {
    const drawn = Chart.getChart(canvas);
    const colours = paint(canvas);
    return {
      id: canvas.id,
      label: canvas.getAttribute("aria-label"),
      mark: mark(drawn),
      axes: { x: drawn.options.scales.x.title.text, y: drawn.options.scales.y.title.text },
      datasets: drawn.data.datasets.map((set) => ({
        label: set.label,
        points: set.data.map((point) => (typeof point === "number" ? point : [point.x, point.y])),
        pixels: typeof set.pointBorderColor === "string" ? pixelsOf(colours, set.pointBorderColor) : -1,
      })),
    };
  }

  // The name of a figure by its position: "row: column" of its table.
  function place(span) {
    const cell = span.closest("td, th");
    if (!cell) return "";
    const heading = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].textContent;
    return `${cell.parentNode.cells[0].textContent}: ${heading}`;
  }

  const found = {
    errors: window.harnessErrors,
    title: document.title,
    text: document.getElementById("page").innerText,
    width: document.documentElement.clientWidth,
    content_width: document.documentElement.scrollWidth,
    fetched: performance.getEntriesByType("resource").map((entry) => entry.name),
    charts: [...document.querySelectorAll("figure canvas[id]")].map(chart),
    numbers: [...document.querySelectorAll("[data-path]")].map((span) =>
      ({ path: span.dataset.path, unit: span.dataset.unit, text: span.textContent, place: place(span) })),
  };
  found.defined = [...document.querySelectorAll(".defined div")].map((one) =>
    ({ name: one.querySelector("dt").textContent, meaning: one.querySelector("dd").textContent }));
  found.pictures = [...document.querySelectorAll(".picture canvas")].map((canvas) => ({
    label: canvas.getAttribute("aria-label"),
    caption: canvas.nextElementSibling.textContent,
    width: canvas.width,
    height: canvas.height,
    shown: canvas.getBoundingClientRect().width,
    pixels: [...pixels(canvas).subarray(0, 64)],
  }));
  found.links = [...document.querySelectorAll("a[href^=file]")].map((one) => ({ href: one.getAttribute("href"), text: one.textContent }));
  for (const one of document.querySelectorAll("details")) one.open = true;
  dispatchEvent(new Event("resize"));
  // Whether an option to paste is visible without scrolling its table.
  found.options = [...document.querySelectorAll(".option")].map((one) =>
    ({ text: one.textContent, seen: one.getBoundingClientRect().right <= one.closest(".scroll").getBoundingClientRect().right }));
  found.tables = [...document.querySelectorAll(".scroll")].filter((one) => one.clientWidth > 0).map((one) => ({
    name: one.getAttribute("aria-label"),
    scrolls: one.querySelector("table").offsetWidth > one.clientWidth + 1,
    says_so: one.querySelector(".more").offsetHeight > 0,
  }));
  // Moves each control to its first value, and then all to the last.
  const sliders = [...document.querySelectorAll(".control input")];
  const move = (slider, value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
  };
  const explored = () => ({
    paths: [...document.querySelectorAll("#explored [data-path]")].map((span) => span.dataset.path),
    note: document.querySelector("#explored + .note").textContent,
    outputs: [...document.querySelectorAll(".control output")].map((one) => one.textContent),
  });
  found.moved = sliders.map((slider) => { move(slider, slider.min); return explored(); });
  if (sliders.length) {
    for (const slider of sliders) move(slider, slider.max);
    found.moved.push(explored());
  }
  // Then switches to another run, like a user.
  const other = document.querySelector(".choice button[aria-pressed=false]");
  if (other) {
    other.click();
    found.other = {
      name: other.textContent,
      pressed: [...document.querySelectorAll(".choice button[aria-pressed=true]")].map((one) => one.textContent),
      charts: [...document.querySelectorAll("figure canvas[id]")].map(chart),
      paths: [...document.querySelectorAll(".tiles [data-path]")].map((span) => span.dataset.path),
    };
  }
  const out = document.createElement("pre");
  out.id = "harness";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
})();
