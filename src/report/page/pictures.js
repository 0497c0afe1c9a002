// Pictures of the first rows that were delivered: the image, its planes, and a stored8 plane over it.
const pictured = dataOf("pictures");

// Colours of the values of stored8 in turns, from 1. 0 is the background in most masks.
const valueColours = ["e6194b", "3cb44b", "4363d8", "ffe119", "f032e6", "42d4f4", "f58231", "911eb4", "bfef45", "fabed4",
  "469990", "dcbeff", "9a6324", "fffac8", "800000", "aaffc3", "808000", "ffd8b1", "0000b0"]
  .map((digits) => [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16)));
const isNeutral = (value, fill) => value === 255 || (value === fill && fill !== 0);
function valueColour(value, fill) {
  if (isNeutral(value, fill)) return [144, 144, 144];
  return value === 0 ? [24, 24, 24] : valueColours[(value - 1) % valueColours.length];
}

function valuesOf(picture) {
  const bytes = Uint8Array.from(atob(picture.bytes), (digit) => digit.charCodeAt(0));
  return picture.pixels.endsWith("16") ? new Uint16Array(bytes.buffer) : bytes;
}

// The values that are black and white. stored16 has those of the picture, without fill.
function rangeOf(picture, values) {
  if (picture.pixels !== "stored16") return [0, picture.pixels.endsWith("16") ? 65535 : 255];
  const shown = values.filter((value) => value !== picture.fill);
  return [Math.min(...shown), Math.max(...shown)];
}

// Red, green, blue and alpha of each pixel.
function coloursOf(picture) {
  const [height, width] = picture.size, values = valuesOf(picture), channels = values.length / (height * width);
  const [least, most] = rangeOf(picture, values);
  const order = channels === 1 ? [0, 0, 0] : picture.pixels === "bgr8" ? [2, 1, 0] : [0, 1, 2];
  const colour = (at) => order.map((c) => 255 * (values[at + c] - least) / Math.max(most - least, 1));
  const alpha = (at) => (channels === 4 ? values[at + 3] : picture.pixels === "stored16" && values[at] === picture.fill ? 0 : 255);
  const out = new ImageData(width, height);
  for (let i = 0, at = 0; i < out.data.length; i += 4, at += channels) {
    out.data.set(picture.pixels === "stored8" ? valueColour(values[at], picture.fill) : colour(at), i);
    out.data[i + 3] = alpha(at);
  }
  return out;
}

// The image with the colours of a stored8 plane. 0 is left out.
function coloursOver(image, plane) {
  const out = coloursOf(image), values = valuesOf(plane);
  const [height, width] = plane.size;
  for (let y = 0; y < out.height; ++y)
    for (let x = 0; x < out.width; ++x) {
      const value = values[Math.floor(y * height / out.height) * width + Math.floor(x * width / out.width)];
      const at = 4 * (y * out.width + x);
      if (value) valueColour(value, plane.fill).forEach((c, k) => { out.data[at + k] = (out.data[at + k] + c) / 2; });
    }
  return out;
}

function pictureFigure(name, colours, caption, sharp) {
  const canvas = h("canvas", { class: sharp ? "sharp" : undefined, width: colours.width, height: colours.height, role: "img",
    "aria-label": `${name}: ${caption}` });
  canvas.getContext("2d").putImageData(colours, 0, 0);
  return h("figure", { class: "picture" }, canvas, h("figcaption", {}, caption));
}

// What the status of an image or a plane says beside its picture.
const statusWords = { damaged: "damaged", replaced: "in place of a sample that failed", blank: "fill, because the sample failed",
  absent: "absent, so fill", broken: "broken, so fill" };

function captionOf(picture) {
  const [least, most] = rangeOf(picture, valuesOf(picture));
  return [`${picture.name}: ${picture.pixels}, ${picture.shape.join("×")}`,
    picture.pixels === "stored16" && least <= most ? `black ${say.count(least)} to white ${say.count(most)}` : "",
    statusWords[picture.status]]
    .filter(Boolean).join(", ");
}

function picturedRow({ name, label, pictures }) {
  const image = pictures.find((one) => one.name === "image");
  const over = pictures.find((one) => one !== image && one.pixels === "stored8" && ["ok", "damaged"].includes(one.status));
  const stored = (one) => one.pixels.startsWith("stored");
  return h("div", {}, h("h3", {}, name, h("small", {}, `label ${label}`)), h("div", { class: "pictures" },
    pictures.map((one) => pictureFigure(name, coloursOf(one), captionOf(one), stored(one))),
    image && over ? pictureFigure(name, coloursOver(image, over), `${over.name} over image`) : ""));
}

// The values of stored8 in the pictures, with their colours.
function valueLegend() {
  const planes = pictured.flatMap((row) => row.pictures).filter((one) => one.pixels === "stored8");
  const fill = new Map(planes.flatMap((one) => [...valuesOf(one)].map((value) => [value, one.fill])));
  const values = [...fill.keys()].sort((a, b) => a - b);
  if (!values.length) return "";
  const most = 24;
  return h("ul", { class: "legend" }, values.slice(0, most).map((value) =>
    h("li", {}, h("span", { class: "value", style: `background: rgb(${valueColour(value, fill.get(value))})` }), String(value))),
  values.length > most ? h("li", {}, `and ${values.length - most} more values`) : "");
}

function picturesSection() {
  if (!pictured.length) return undefined;
  const all = pictured.flatMap((row) => row.pictures);
  const has = (pixels) => all.some((one) => one.pixels === pixels);
  return h("section", {}, h("h2", {}, "The first rows that were delivered"),
    h("p", { class: "note" }, "Small copies of rows of the first batch. ",
      all.some((one) => one.pixels.endsWith("16")) ? "16 bits are shown as 8. " : "",
      has("stored8") ? "Each value of stored8 has a colour; 255 and fill are grey. Laid over an image, 0 is left out. " : "",
      has("stored16") ? "Fill of stored16 is chequered. " : "", has("rgba8") ? "What is transparent is chequered." : ""),
    valueLegend(), h("div", { class: "pictured" }, pictured.map(picturedRow)));
}
