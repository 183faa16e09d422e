// ---- drawing.js: what a step draws beside its arrays (sac_lesson_drawing of src/sources/lesson.h), as SVG.

const PLOT = 0, MATRIX = 1, BANDS = 2, PICTURES = 3, ROWS = 4, BLOCK = 5;
const LINE = 0, AREA = 1, POINTS = 2, BARS = 3, ARROWS = 4, RULE = 5, CELLS = 6, PICTURE = 7, BAND = 8;
const inkNames = ["plain", "faint", "accent", "blue", "green"];

const isNow = (mark, step) => step >= (mark.since || 0) && (!mark.before || step < mark.before);
const flat = (array) => (array ? Array.from(array.numbers) : []);

// The points of a mark, line by line: [[x, y]…].
function linesOf(mark, arrays) {
  const y = arrays[mark.y], x = mark.x ? flat(arrays[mark.x]) : null;
  if (!y) return [];
  const numbers = flat(y);
  if (mark.kind === ARROWS) return [Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i], numbers[2 * i + 1]])];
  const points = y.columns > 1 ? y.columns : y.rows;
  return Array.from({ length: numbers.length / points }, (_, line) =>
    Array.from({ length: points }, (_, i) => [x ? x[i] : i, numbers[line * points + i]]));
}

// From low to high of the panel, or as far as the numbers of all its marks reach.
function rangeOf(low, high, values, { ratio, bars, across }) {
  if (low || high) return [low || 0, high || 0];
  const finite = values.filter(Number.isFinite);
  let least = Math.min(...finite), most = Math.max(...finite);
  if (!(most >= least)) [least, most] = [0, 1];
  if (ratio) return [least, most];
  const wide = most > least ? most - least : 1;
  if (across && bars) return [Math.min(least, 0) - 0.6, most + 0.6];
  return [least === 0 ? 0 : least - 0.08 * wide, most === 0 && !bars ? 0 : most + 0.12 * wide];
}

// Round numbers along an axis.
function ticksOf([low, high], ratio, most) {
  if (ratio) {
    const all = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      for (const digit of [1, 2, 5]) all.push(digit * 10 ** power);
    }
    const within = all.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    return within.length > most ? within.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9) : within;
  }
  let step = 10 ** Math.floor(Math.log10((high - low) / most));
  for (const factor of [2, 2.5, 2]) if ((high - low) / step > most) step *= factor;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) ticks.push(i * step);
  return ticks;
}
const tickText = (value) => (Math.abs(value) >= 1e4 ? value.toExponential(0).replace("+", "") : String(Number(value.toPrecision(6)))).replace("-", "−");

const lineColor = (line, count) => (count > 1 ? `hsl(${Math.round(20 + (300 * line) / count)} 65% 55%)` : undefined);

// Lines are rows of their array, or keys of the row whose bars the panel before has. null: they have no names.
function lineLabel(mark, line, arrays, drawing) {
  const labels = arrays[mark.y].rowLabels, bars = drawing.panels.find((panel) => panel.categories), categories = bars && arrays[bars.categories];
  if (labels) return labels[line];
  if (categories && categories.columns === arrays[mark.y].rows) return `${bars.x || ""} ${labelOf(categories.columnLabels, line)}`.trim();
  return null;
}

// A panel with axes.
function plotOf(drawing, index, step, arrays, width) {
  const panel = drawing.panels[index], height = panel.plane ? width * 0.8 : width * 0.52;
  const all = drawing.marks.filter((mark) => mark.panel === index), marks = all.filter((mark) => isNow(mark, step));
  const measured = all.filter((mark) => mark.kind !== RULE), bars = measured.some((mark) => mark.kind === BARS);
  const points = measured.flatMap((mark) => linesOf(mark, arrays).flat());
  const from0 = measured.some((mark) => [BARS, AREA, ARROWS].includes(mark.kind)) ? [0] : [];
  const xs = points.map(([x]) => x).concat(measured.some((mark) => mark.kind === ARROWS) ? [0] : []), ys = points.map(([, y]) => y).concat(from0);
  let x = rangeOf(panel.xLow, panel.xHigh, xs, { ratio: panel.xByRatio, bars, across: true });
  let y = rangeOf(panel.yLow, panel.yHigh, ys, { ratio: panel.yByRatio, bars });
  const frame = { x: 48, y: 12, w: width - 64, h: height - 46 };
  if (panel.plane) {
    const unit = Math.max((x[1] - x[0]) / frame.w, (y[1] - y[0]) / frame.h), more = ([low, high], size) => (unit * size - (high - low)) / 2;
    const [dx, dy] = [more(x, frame.w), more(y, frame.h)];
    x = [x[0] - dx, x[1] + dx];
    y = [y[0] - dy, y[1] + dy];
  }
  const share = (value, [low, high], ratio) => (ratio ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const placeX = (value) => frame.x + frame.w * share(value, x, panel.xByRatio);
  const placeY = (value) => frame.y + frame.h * (1 - share(value, y, panel.yByRatio));
  const clip = `clip${++plotOf.count}`, inside = [], names = [];
  const named = (text, px, py, anchor = "middle") => names.push(element("svg:text", { x: px, y: py, "text-anchor": anchor, class: "name" }, text));
  const legendLines = [];
  let series = 0;
  const count = marks.filter((mark) => mark.kind === BARS).length;
  for (const mark of marks) {
    const ink = `ink-${inkNames[mark.ink]}`, lines = linesOf(mark, arrays), weights = mark.weights ? flat(arrays[mark.weights]) : null;
    const heaviest = weights ? Math.max(...weights.filter(Number.isFinite), 1e-30) : 1, weight = (i) => (weights ? Math.max(0, weights[i]) / heaviest : 0);
    if (mark.kind === RULE) {
      for (const value of flat(arrays[mark.x || mark.y])) {
        const [px, py] = [placeX(value), placeY(value)];
        inside.push(element("svg:line", mark.x ? { x1: px, x2: px, y1: frame.y, y2: frame.y + frame.h, class: `rule ${ink}` }
                                              : { x1: frame.x, x2: frame.x + frame.w, y1: py, y2: py, class: `rule ${ink}` }));
      }
    } else if (mark.kind === LINE || mark.kind === AREA) {
      lines.forEach((line, k) => {
        const places = line.filter((p) => p.every(Number.isFinite)).map(([px, py]) => `${placeX(px).toFixed(1)},${placeY(py).toFixed(1)}`);
        const shape = element("svg:polyline", { points: places.join(" "), class: `line ${ink}` });
        if (lines.length > 1) {
          shape.style.stroke = lineColor(k, lines.length);
          const label = lineLabel(mark, k, arrays, drawing);
          if (label !== null) legendLines.push(element("span", { class: "sample", style: `--ink:${lineColor(k, lines.length)}` }, label));
        }
        if (mark.kind === AREA && places.length) {
          inside.push(element("svg:polygon", { class: `area ${ink}`,
            points: `${placeX(line[0][0])},${placeY(0)} ${places.join(" ")} ${placeX(line.at(-1)[0])},${placeY(0)}` }));
        }
        inside.push(shape);
      });
    } else if (mark.kind === BARS) {
      const wide = (0.8 * frame.w) / (x[1] - x[0]) / Math.max(1, count);
      for (const [at, value] of lines.flat()) {
        if (!Number.isFinite(value)) continue;
        const left = placeX(at) - (wide * count) / 2 + wide * series, top = placeY(Math.max(0, value)), foot = placeY(Math.min(0, value));
        inside.push(element("svg:rect", { x: left + 1, y: top, width: Math.max(1, wide - 2), height: Math.max(0.5, foot - top), class: `bar ${ink}` }));
        if (points.length <= 24 && wide > 32) named(numberText(value), left + wide / 2, value < 0 ? foot + 12 : top - 3);
      }
      series++;
    } else if (mark.kind === ARROWS) {
      lines[0].forEach(([ax, ay], i) => inside.push(element("svg:line", { x1: placeX(0), y1: placeY(0), x2: placeX(ax), y2: placeY(ay), class: `arrow ${ink}`,
        "marker-end": `url(#head${plotOf.count})`, "stroke-width": 1.5 + 5 * weight(i) })));
    } else if (mark.kind === POINTS) {
      lines.flat().forEach(([px, py], i) => {
        if (Number.isFinite(py)) inside.push(element("svg:circle", { cx: placeX(px), cy: placeY(py), r: 3.5 + 9 * Math.sqrt(weight(i)), class: `point ${ink}` }));
      });
    }
    if (mark.labels && (mark.kind === ARROWS || mark.kind === POINTS)) {
      lines.flat().slice(0, mark.labels.length).forEach(([px, py], i) => named(mark.labels[i], placeX(px) + 8, placeY(py) - 8, "start"));
    }
  }
  const categories = panel.categories ? arrays[panel.categories] : null;
  const axes = [];
  for (const tick of ticksOf(y, panel.yByRatio, 5)) {
    axes.push(element("svg:line", { x1: frame.x, x2: frame.x + frame.w, y1: placeY(tick), y2: placeY(tick), class: tick === 0 ? "zero" : "grid" }),
      element("svg:text", { x: frame.x - 6, y: placeY(tick) + 4, "text-anchor": "end", class: "tick" }, tickText(tick)));
  }
  const along = categories ? Array.from({ length: categories.columns }, (_, i) => [i, labelOf(categories.columnLabels, i)])
                           : ticksOf(x, panel.xByRatio, 7).map((tick) => [tick, tickText(tick)]);
  const close = categories && Math.max(...along.map(([, text]) => text.length)) * 6.5 * along.length > frame.w; // names that would meet are turned
  for (const [at, text] of along) {
    const [px, py] = [placeX(at), frame.y + frame.h + (close ? 12 : 16)];
    axes.push(element("svg:text", { x: px, y: py, "text-anchor": close ? "end" : "middle", class: "tick", transform: close && `rotate(-40 ${px} ${py})` }, text));
  }
  if (panel.x) axes.push(element("svg:text", { x: frame.x + frame.w, y: height - 4, "text-anchor": "end", class: "tick" }, panel.x));
  const svg = element("svg:svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": panel.title || "" },
    element("svg:clipPath", { id: clip }, element("svg:rect", { x: frame.x - 2, y: frame.y - 12, width: frame.w + 4, height: frame.h + 24 })),
    element("svg:defs", {}, element("svg:marker", { id: `head${plotOf.count}`, viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse",
      orient: "auto" }, element("svg:path", { d: "M0 0 L8 4 L0 8 Z", class: "head" }))),
    axes, element("svg:g", { "clip-path": `url(#${clip})` }, inside), names);
  const legend = element("p", { class: "legend" }, panel.title ? element("b", {}, panel.title) : null, panel.y ? element("span", {}, panel.y) : null,
    marks.filter((mark) => mark.name && linesOf(mark, arrays).length < 2).map((mark) => element("span", { class: `sample ink-${inkNames[mark.ink]}` }, mark.name)), legendLines);
  return { svg, legend, placeX, placeY, frame, x, y, width, height, ratioX: panel.xByRatio, ratioY: panel.yByRatio };
}
plotOf.count = 0;

// Numbers from 0 to 1 as brightness, or three of red, green and blue; weights over it let its cells shine.
function pictureOfMark(mark, arrays, column, panel, path) {
  const y = arrays[mark.y], cells = y.rows * y.columns, canvas = element("canvas", { width: y.columns, height: y.rows, role: "img", "aria-label": mark.name || y.name });
  const pen = canvas.getContext("2d"), image = pen.createImageData(y.columns, y.rows), over = mark.weights ? arrays[mark.weights] : null;
  const [wr, wc] = over ? [over.rows, over.columns] : [1, 1], map = over && column < over.batch ? column : 0; // of several that of a column
  const weights = over ? over.numbers.subarray(map * wr * wc, (map + 1) * wr * wc) : null, heaviest = over ? largestMagnitude(weights) || 1 : 1;
  for (let i = 0; i < cells; i++) {
    const r = Math.floor((Math.floor(i / y.columns) * wr) / y.rows), c = Math.floor(((i % y.columns) * wc) / y.columns);
    const light = over ? 0.35 + 0.65 * Math.min(1, Math.max(0, weights[r * wc + c]) / heaviest) : 1;
    for (let k = 0; k < 3; k++) image.data[4 * i + k] = 255 * light * Math.max(0, Math.min(1, y.numbers[y.batch === 3 ? k * cells + i : i]));
    image.data[4 * i + 3] = 255;
  }
  pen.putImageData(image, 0, 0);
  const frame = element("div", { class: "picture" }, canvas);
  if (mark.cutRows) frame.style.setProperty("--cut", `${100 / mark.cutColumns}% ${100 / mark.cutRows}%`);
  frame.classList.toggle("smooth", y.columns > 40);
  frame.append(...pathOf(path, panel, arrays));
  return element("figure", {}, element("figcaption", {}, element("b", {}, mark.name || "")), frame, mark.credit ? element("p", { class: "credit" }, mark.credit) : null);
}

// The way of a gaze over a picture: column, row in the units of the panel.
function pathOf(mark, panel, arrays) {
  const path = mark ? arrays[mark.y] : null;
  if (!path) return [];
  const place = (value, low = 0, high = 1) => (100 * (value - low)) / (high - low);
  const places = Array.from({ length: path.rows }, (_, i) =>
    [place(path.numbers[i * path.columns], panel.xLow, panel.xHigh), place(path.numbers[i * path.columns + 1], panel.yLow, panel.yHigh)]);
  return [element("svg:svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
    element("svg:polyline", { points: places.map((at) => at.map((v) => v.toFixed(2)).join(",")).join(" "), class: "gaze" }),
    places.map(([cx, cy]) => element("svg:ellipse", { cx, cy, rx: 1.6, ry: 1.6, class: "fixation" })))];
}

// Two columns of words, and a band for each weight of the chosen row, the others faint.
function bandsOf(mark, arrays, row) {
  const y = arrays[mark.y], line = 24, width = 420, height = line * Math.max(y.rows, y.columns) + 34, bands = [];
  const at = (i) => 34 + line * i, most = largestMagnitude(y.numbers) || 1;
  for (let n = 0; n < y.batch; n++) {
    for (let r = 0; r < y.rows; r++) {
      for (let c = 0; c < y.columns; c++) {
        const weight = y.numbers[(n * y.rows + r) * y.columns + c] / most;
        if (!(weight > 0.02)) continue;
        const band = element("svg:path", { d: `M130 ${at(r)} C210 ${at(r)} 210 ${at(c)} 290 ${at(c)}`, class: `band ${r === row ? "current" : ""}`, "stroke-width": 0.5 + 10 * weight });
        if (y.batch > 1) band.style.stroke = lineColor(n, y.batch);
        bands.push(band);
      }
    }
  }
  const words = (labels, count, x, anchor) => Array.from({ length: count }, (_, i) =>
    element("svg:text", { x, y: at(i) + 4, "text-anchor": anchor, class: anchor === "end" && i === row ? "name current" : "name" }, labelOf(labels, i)));
  return element("figure", {}, element("figcaption", {}, element("b", {}, mark.name || y.name)),
    element("svg:svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": mark.name || y.name }, bands,
      words(y.rowLabels, y.rows, 122, "end"), words(y.columnLabels, y.columns, 298, "start")));
}

// Rows that change places: matrices beside each other, their rows strips of colour, and a band from each row to where it stands in the next.
function stripsOf(marks, arrays, tables) {
  const wide = 150, gap = 76, line = 30, top = 26, left = 22, parts = [];
  let before = null; // which row of the first matrix stands where
  marks.forEach((mark, k) => {
    const array = arrays[mark.y], scale = scaleOf(array, arrays), x = left + k * (wide + gap), y = (row) => top + line * row;
    const moves = mark.weights ? arrays[mark.weights] : null;
    const from = (row) => (moves ? largestOf(moves.numbers.subarray(row * moves.columns, (row + 1) * moves.columns)) : row);
    const which = Array.from({ length: array.rows }, (_, row) => (before ? before[from(row)] : row));
    parts.push(element("svg:text", { x, y: 14, class: "name title" }, mark.name || array.name));
    which.forEach((word, row) => {
      const color = lineColor(word, array.rows), middle = y(row) + line / 2;
      if (before) {
        const start = x - gap + 4, end = x - 20, at = y(from(row)) + line / 2;
        const band = element("svg:path", { d: `M${start} ${at} C${(start + end) / 2} ${at} ${(start + end) / 2} ${middle} ${end} ${middle}`, class: "band row", "stroke-width": 6 });
        band.style.stroke = color;
        parts.push(band);
      }
      const number = element("svg:text", { x: x - 6, y: middle + 4, "text-anchor": "end", class: "name title" }, String(word));
      number.style.fill = color;
      parts.push(number);
      for (let c = 0; c < array.columns; c++) {
        parts.push(element("svg:rect", { x: x + (wide * c) / array.columns, y: y(row) + 3, width: wide / array.columns + 0.5, height: line - 6,
          fill: colorOf(array, array.numbers[row * array.columns + c], scale, tables) || "#888888" }));
      }
    });
    before = which;
  });
  const rows = Math.max(...marks.map((mark) => arrays[mark.y].rows)), name = marks.map((mark) => mark.name).join(" → ");
  return element("figure", { class: "strips" }, element("svg:svg", { viewBox: `0 0 ${left + marks.length * (wide + gap) - gap} ${top + line * rows}`, role: "img", "aria-label": name }, parts));
}
const largestOf = (numbers) => numbers.reduce((best, value, i) => (value > numbers[best] ? i : best), 0);

// A transformer's encoder and decoder layer, from the left to the right: a residual path goes over each part to the sum behind it. What the
// step is about is lit; a part leads to the step that is about it.
const BLOCK_PARTS = [ // bit, row, place, width, name, second line
  [1, 0, 0, 0.86, "embedding", "+ position"], [2, 0, 1.02, 1, "attention", "1: all words"], [4, 0, 2.28, 0.5, "norm"], [8, 0, 2.94, 1, "feed-forward", "each word"],
  [4, 0, 4.2, 0.5, "norm"],
  [1, 1, 1.01, 0.86, "embedding", "+ position"], [32, 1, 2.03, 1, "attention", "2: earlier words"], [128, 1, 3.29, 0.5, "norm"], [64, 1, 3.95, 1, "attention", "3: the memory"],
  [128, 1, 5.21, 0.5, "norm"], [256, 1, 5.87, 1, "feed-forward", "each word"], [128, 1, 7.13, 0.5, "norm"], [512, 1, 7.79, 0.86, "softmax", "next word"],
];
const BLOCK_NORMS = 4 | 128, BLOCK_MEMORY = 16, LAST_OF_ENCODER = 4, CROSS = 8;

function blockOf(lit, context) {
  const unit = 118, high = 50, rows = [26, 138], parts = [], names = [];
  const place = ([, row, x, w]) => ({ x: 2 + x * unit, y: rows[row], w: w * unit, middle: rows[row] + high / 2 });
  const path = (d, on) => parts.push(element("svg:path", { d, class: on ? "wire lit" : "wire" }));
  const text = (x, y, anchor, content, kind = "name") => parts.push(element("svg:text", { x, y, "text-anchor": anchor, class: kind }, context.word(content)));
  const last = place(BLOCK_PARTS[LAST_OF_ENCODER]), cross = place(BLOCK_PARTS[CROSS]), down = last.x + last.w / 2, remembers = (lit & BLOCK_MEMORY) !== 0;
  path(`M${down} ${last.y + high} V${cross.y} m-5 -6 l5 6 l5 -6`, remembers);
  text(down + 10, (last.y + high + cross.y) / 2, "start", "memory");
  text(last.x + last.w + 12, last.middle + 5, "start", "encoder", "name title");
  text(2, cross.middle + 5, "start", "decoder", "name title");
  BLOCK_PARTS.forEach((part, i) => {
    const next = BLOCK_PARTS[i + 1], at = place(part);
    if (next && next[1] === part[1]) {
      const to = place(next), on = (next[0] & BLOCK_NORMS & lit) !== 0;
      path(`M${at.x + at.w} ${at.middle} H${to.x} m-5 -4 l5 4 l-5 4`, on);
      if (next[0] & BLOCK_NORMS) {
        const from = at.x - 0.09 * unit, sum = at.x + at.w + 0.13 * unit;
        path(`M${from} ${at.middle} V${at.y - 12} H${sum} V${at.middle - 6}`, on);
        parts.push(element("svg:circle", { cx: sum, cy: at.middle, r: 7, class: on ? "sum lit" : "sum" }));
        path(`M${sum - 3.5} ${at.middle} h7 M${sum} ${at.middle - 3.5} v7`, on);
      }
    }
  });
  BLOCK_PARTS.forEach((part) => {
    const at = place(part), on = (part[0] & lit) !== 0, to = context.stepAbout(part[0]);
    const box = element("svg:g", { class: on ? "part lit" : "part" }, element("svg:rect", { x: at.x, y: at.y, width: at.w, height: high, rx: 5 }),
      [part[4], part[5]].filter(Boolean).map((name, i, both) =>
        element("svg:text", { x: at.x + at.w / 2, y: at.middle + (both.length > 1 ? (i ? 17 : -4) : 4.5), "text-anchor": "middle", class: "name" }, context.word(name))));
    if (on) names.push(context.word(part[4]));
    if (to >= 0) {
      box.classList.add("leads");
      box.addEventListener("click", () => context.goTo(to));
    }
    parts.push(box);
  });
  return element("figure", { class: "diagram" }, element("svg:svg", { viewBox: `0 0 ${4 + 8.65 * unit} ${rows[1] + high + 2}`, role: "img", "aria-label": `Transformer: ${names.join(", ")}` }, parts));
}

// Of a drawing's marks those of the step. null: there is nothing that this page draws.
function drawingOf(built, step, context) {
  const shown = built.steps[step], drawing = shown.drawing ? built.drawings[shown.drawing - 1] : null;
  if (!drawing) return null;
  const parts = [];
  if (drawing.kind === BLOCK) return blockOf(shown.block || 0, context);
  if (drawing.kind === ROWS) { // its panels have no axes
    for (const panel of new Set(drawing.marks.map((mark) => mark.panel))) {
      const marks = drawing.marks.filter((mark) => mark.panel === panel && isNow(mark, step));
      if (marks.length) parts.push(stripsOf(marks, built.arrays, context.tables));
    }
  }
  drawing.panels.forEach((panel, index) => {
    const marks = drawing.marks.filter((mark) => mark.panel === index && isNow(mark, step));
    if (step < panel.since || !marks.length) return;
    if (drawing.kind === PLOT) {
      const plot = plotOf(drawing, index, step, built.arrays, 460);
      const figure = element("figure", { class: "plot" }, plot.legend, plot.svg);
      context.handles(figure, plot, drawing.handles.filter((handle) => handle.panel === index && step >= handle.since));
      parts.push(figure);
    } else if (drawing.kind === PICTURES) {
      const path = marks.find((mark) => mark.kind === LINE);
      marks.filter((mark) => mark.kind === PICTURE).forEach((mark) => parts.push(pictureOfMark(mark, built.arrays, context.column, panel, path)));
    } else if (drawing.kind === BANDS) {
      marks.filter((mark) => mark.kind === BAND).forEach((mark) => parts.push(bandsOf(mark, built.arrays, context.row)));
    } else if (drawing.kind === MATRIX) {
      marks.filter((mark) => mark.kind === CELLS).forEach((mark) => {
        const array = built.arrays[mark.y], blocked = mark.weights ? built.arrays[mark.weights].numbers : null;
        const figure = matrixOf(array, mark.y, built.arrays, context.tables, context.word);
        if (blocked) figure.querySelectorAll("td[data-cell]").forEach((cell) => cell.classList.toggle("covered", blocked[cell.dataset.cell] !== 0));
        figure.querySelector("figcaption").replaceChildren(element("b", {}, panel.title || array.name));
        parts.push(figure);
      });
    }
  });
  return parts.length ? element("div", { class: `drawing ${drawing.across ? "across" : ""} ${[BANDS, PICTURES].includes(drawing.kind) ? "follows" : ""}` }, parts) : null;
}
