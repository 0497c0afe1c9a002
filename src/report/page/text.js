// Elements, and numbers with their units.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (known(value)) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => known(child) && child !== false && child !== ""));
  return element;
}

function digits(value, significant = 3) {
  const size = Math.abs(value);
  if (size === 0 || size >= 10 ** (significant - 1)) return Math.round(value).toLocaleString("en-US");
  const whole = Math.floor(Math.log10(size)) + 1;
  return value.toFixed(Math.min(6, significant - whole));
}

const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB"];
function byteUnit(bytes) {
  let power = 0;
  while (power + 1 < byteUnits.length && Math.abs(bytes) >= 1023.995 * 1024 ** power) ++power;
  return { name: byteUnits[power], size: 1024 ** power };
}

const say = {
  bytes(value) {
    const unit = byteUnit(value);
    const sign = value < 0 ? "−" : "";
    const size = Math.abs(value) / unit.size;
    return `${sign}${unit.size > 1 ? size.toFixed(2) : digits(size)} ${unit.name}`;
  },
  count: (value) => value.toLocaleString("en-US"),
  rate: (value) => `${digits(value)} ${counted}/s`,
  pace: (value) => digits(value),
  seconds: (value) => (value > 0 && value < 1 ? say.micros(1e6 * value) : `${digits(value)} s`),
  micros(value) {
    if (value < 1e3) return `${digits(value)} µs`;
    return value < 1e6 ? `${digits(value / 1e3)} ms` : `${digits(value / 1e6)} s`;
  },
  share: (value) => `${(100 * value).toFixed(1)} %`,
  change: (value) => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(1)} %`,
  times: (value) => `×${value < 10 ? value.toFixed(2) : digits(value)}`,
  difference: (value) => `${value < 0 ? "" : "+"}${say.bytes(value)}`,
  word: (value) => String(value),
};

const missing = "–";

// A number of the report, with its path. Tests compare the two.
function figureAt(path, unit) {
  const value = at(path);
  if (!known(value)) return missing;
  return h("span", { class: "n", "data-path": path, "data-unit": unit }, say[unit](value));
}

// Prevents line breaks between a number and its unit.
const prose = (text) => text.replace(/(\d) (?=%|×|(?:[KMGT]iB|B|µs|ms|s|samples)\b)/g, "$1\u00a0");

function sentence(text) {
  const whole = text[0].toUpperCase() + text.slice(1);
  return prose(/[.!?]$/.test(whole) ? whole : `${whole}.`);
}

const plural = (count, one) => `${say.count(count)} ${one}${count === 1 ? "" : "s"}`;

// rows: lists of cells; the first cell is the heading. texts: indices of columns with text.
function table(caption, headings, rows, { marked, texts = [] } = {}) {
  const look = (column) => ({ class: texts.includes(column) ? "t" : undefined });
  const cells = (row) => row.map((cell, i) => (i ? h("td", look(i), cell) : h("th", { scope: "row" }, cell)));
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    h("p", { class: "more" }, "Scroll to the right for more columns →"),
    h("table", {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, headings.map((text, i) => h("th", { scope: "col", ...look(i) }, text)))),
      h("tbody", {}, rows.map((row, i) =>
        h("tr", { class: i === marked ? "marked" : undefined }, cells(row))))));
}

// Says of each table that is wider than its place that it scrolls.
function markWide() {
  for (const one of document.querySelectorAll(".scroll"))
    one.classList.toggle("wide", one.scrollWidth > one.clientWidth + 1);
}

// A table that is folded on screens and open in print.
const folded = (content) => h("details", { class: "numbers" }, h("summary", {}, "In numbers"), content);
