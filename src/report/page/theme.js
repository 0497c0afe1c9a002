// Colours come from the style sheet, which has variants for light, dark and print.
const ink = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// Colour and hatch of the areas in a chart, by number.
const looks = [["ink"], ["green", "dots"], ["purple", "falling"], ["sky", "rising"], ["blue"], ["orange"], ["grey"],
  ["yellow", "level"], ["vermillion", "rising"]];
function lookOf(i) {
  const [colour, hatch] = looks.at(i % looks.length);
  return { colour, hatch };
}

// Hatches, so that areas do not differ only in colour.
const hatches = {
  rising: (pen) => { pen.moveTo(-2, 10); pen.lineTo(10, -2); pen.moveTo(-2, 2); pen.lineTo(2, -2);
                     pen.moveTo(6, 10); pen.lineTo(10, 6); },
  falling: (pen) => { pen.moveTo(-2, -2); pen.lineTo(10, 10); pen.moveTo(6, -2); pen.lineTo(10, 2);
                      pen.moveTo(-2, 6); pen.lineTo(2, 10); },
  dots: (pen) => { for (const [x, y] of [[2, 2], [6, 6]]) { pen.moveTo(x + 1.2, y); pen.arc(x, y, 1.2, 0, 7); } },
  level: (pen) => { pen.moveTo(0, 2); pen.lineTo(8, 2); pen.moveTo(0, 6); pen.lineTo(8, 6); },
};

function tile(colour, hatch) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 8;
  const pen = canvas.getContext("2d");
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = ink("paper");
  pen.lineWidth = 1.4;
  pen.beginPath();
  hatches[hatch](pen);
  pen.stroke();
  return canvas;
}

// The filling of an area or a bar.
function filling(series) {
  const colour = ink(series.colour);
  if (!series.hatch) return colour;
  const canvas = tile(colour, series.hatch);
  return canvas.getContext("2d").createPattern(canvas, "repeat");
}

// The swatch in a legend: a line with its dash and marker, or a sample of the area.
function swatch(series) {
  const canvas = document.createElement("canvas");
  const scale = 2;
  canvas.width = 28 * scale;
  canvas.height = 14 * scale;
  canvas.className = "swatch";
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  if (series.area) {
    pen.fillStyle = filling(series);
    pen.fillRect(5, 1, 18, 12);
    return canvas;
  }
  pen.strokeStyle = ink(series.colour);
  pen.lineWidth = 2;
  pen.setLineDash(series.dash ?? []);
  if (series.line !== false) {
    pen.beginPath();
    pen.moveTo(0, 7);
    pen.lineTo(28, 7);
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.fillStyle = series.hollow ? ink("paper") : ink(series.colour);
  if (series.marker)
    Chart.helpers?.drawPoint?.(pen, { pointStyle: series.marker, radius: 4.5, borderWidth: 2 }, 14, 7);
  return canvas;
}
