// ---- numbers.js: a number as text, its colour, a matrix of numbers, and the arithmetic of one.

const svgSpace = "http://www.w3.org/2000/svg";
// element("td", { class: "x" }, "text", other…); of SVG where the name begins with "svg:".
function element(name, attributes = {}, ...children) {
  const made = name.startsWith("svg:") ? document.createElementNS(svgSpace, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// As the program writes it (base/text/numbers.c).
function numberText(value) {
  const size = Math.abs(value), sign = value < 0 ? "−" : "";
  if (Number.isNaN(value)) return "NaN";
  if (size === Infinity) return sign + "∞";
  if (size === 0 || (size < 1e4 && size >= 1 && Number.isInteger(size))) return (size ? sign : "") + String(size);
  if (size < 1e-4 || size >= 1e5) return sign + size.toExponential(1).replace("e+", "e").replace("e-", "e−");
  return sign + fixedText(size, size < 0.1 ? 4 : size < 10 ? 3 : size < 100 ? 2 : 1);
}
// Of two that are as near printf writes that whose last digit is even, toFixed the larger.
function fixedText(size, digits) {
  const whole = Math.floor(size * 10 ** digits), tie = size * 10 ** digits - whole === 0.5 && whole % 2 === 0;
  return (tie ? whole / 10 ** digits : size).toFixed(digits);
}
// Without zeros behind the last digit, inside an expression.
const shortText = (value) => (numberText(value).includes("e") ? numberText(value) : numberText(value).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));

// The number of a cell, without what rounding left of 0.
const shownNumber = (array, i) => (Math.abs(array.numbers[i]) < array.noise ? 0 : array.numbers[i]);

// "rrggbb" of 256 colours, by a share from 0 to 1.
const colorAt = (table, share) => "#" + table.substr(6 * Math.round(255 * Math.max(0, Math.min(1, share))), 6);
const isPale = (color) => {
  const rgb = parseInt(color.slice(1), 16);
  return 0.2126 * (rgb >> 16) + 0.7152 * ((rgb >> 8) & 255) + 0.0722 * (rgb & 255) > 120;
};

// Shares go from 0 to the largest, other numbers by their size to both sides of 0. Arrays that are compared have one scale.
function scaleOf(array, arrays) {
  const like = array.like ? largestMagnitude(arrays[array.like].numbers) : 0;
  return Math.max(largestMagnitude(array.numbers), like) || 1;
}
function colorOf(array, value, scale, tables) {
  if (!Number.isFinite(value)) return null;
  const share = value / scale;
  return array.shares ? colorAt(tables.shares, share) : colorAt(tables.signed, 0.5 + 0.38 * share);
}

const labelOf = (labels, i) => (labels ? labels[i] : String(i));
// "weights[2,0]"
function cellName(array, i) {
  const at = [];
  for (let d = array.shape.length; d-- > 0; i = Math.floor(i / array.shape[d])) at.unshift(i % array.shape[d]);
  return `${array.name}[${at.join(",")}]`;
}

const MOST_CELLS = 600; // that are written; of more there is a picture alone

// A figure of an array; its cells have data-array and data-cell.
function matrixOf(array, number, arrays, tables, word, hides = () => false) {
  const scale = scaleOf(array, arrays), size = `[${array.shape.join(", ")}]`;
  const caption = element("figcaption", {}, element("b", {}, array.name), ` ${size}`);
  if (array.numbers.length > MOST_CELLS) return element("figure", { class: "matrix" }, caption, heatOf(array, scale, tables, word));
  const tablesOf = Array.from({ length: array.batch }, (_, n) => {
    const head = element("tr", {}, element("td", { class: "corner" }, array.batch > 1 ? String(n) : ""),
      Array.from({ length: array.columns }, (_, c) => element("th", { scope: "col" }, labelOf(array.columnLabels, c))));
    const rows = Array.from({ length: array.rows }, (_, r) => element("tr", {},
      element("th", { scope: "row" }, labelOf(array.rowLabels, r)),
      Array.from({ length: array.columns }, (_, c) => {
        const i = (n * array.rows + r) * array.columns + c, value = shownNumber(array, i);
        const cell = element("td", { "data-array": number, "data-cell": i, tabindex: -1 });
        if (hides(i)) {
          cell.className = "hidden";
          cell.append("?");
          return cell;
        }
        const color = colorOf(array, value, scale, tables);
        if (color) cell.style.cssText = `background:${color};color:${isPale(color) ? "#14110b" : "#ffffff"}`;
        cell.append(numberText(value));
        cell.style.setProperty("--order", r * array.columns + c);
        return cell;
      })));
    return element("table", { "aria-label": `${array.name} ${size}` }, element("thead", {}, head), element("tbody", {}, rows));
  });
  return element("figure", { class: array.batch * array.rows > 12 ? "matrix dense" : "matrix" }, caption, tablesOf);
}

// One pixel a number.
function heatOf(array, scale, tables, word) {
  const canvas = element("canvas", { width: array.columns, height: array.batch * array.rows, role: "img",
    "aria-label": `${array.name}, ${word("%d × %d numbers").replace("%d", array.batch * array.rows).replace("%d", array.columns)}` });
  const pen = canvas.getContext("2d");
  array.numbers.forEach((value, i) => {
    pen.fillStyle = colorOf(array, value, scale, tables) || "#888888";
    pen.fillRect(i % array.columns, Math.floor(i / array.columns), 1, 1);
  });
  return canvas;
}

// ---------------------------------------------------------------- arithmetic

const MOST_TERMS = 12, FIRST_TERMS = 4;
// The operands of a cell, [array number, cell], and the expression that makes it of them. null: it is given.
function arithmeticOf(array, i) {
  const operands = [], { op, inputs, f = 0, g = 0, columns, rows } = array;
  const column = i % columns, row = Math.floor(i / columns) % rows, n = Math.floor(i / columns / rows);
  let exact = true;
  const own = (value) => {
    const text = shortText(value);
    if (Math.abs(Number(text.replaceAll("−", "-").replace("∞", "Infinity")) - value) > 1e-6 * Math.abs(value)) exact = false;
    return text;
  };
  const take = (which, r, c, sign = false) => {
    const input = inputs[which], cell = reader(input).cell(n, r, c), text = own(shownNumber(input, cell));
    operands.push([array.in[which], cell]);
    return sign && text.startsWith("−") ? `(${text})` : text;
  };
  const a = (r = row, c = column, sign = false) => take(0, r, c, sign), b = (r = row, c = column, sign = true) => take(1, r, c, sign);
  const depth = inputs[0] ? (op === SOFTMAX_0 ? inputs[0].rows : inputs[0].columns) : 0;
  const list = (count, term, joint = " + ") => {
    const terms = Array.from({ length: count }, (_, k) => term(k));
    if (count > MOST_TERMS) exact = false;
    return (count > MOST_TERMS ? [...terms.slice(0, FIRST_TERMS), "…"] : terms).join(joint);
  };
  const power = (text) => (f === 2 ? `${text}²` : text);
  const writers = [
    () => null,
    () => list(depth, (k) => `${a(row, k, true)}·${b(k, column)}`),
    () => list(depth, (k) => `${a(row, k, true)}·${b(column, k)}`),
    () => (f === 1 ? `${a()} + ${b()}` : f === -1 ? `${a()} − ${b()}` : `${a()} + ${own(f)}·${b()}`),
    () => `${a(row, column, true)}·${b()}`,
    () => `${a()} / ${b()}`,
    () => (g ? `${own(f)}·${a(row, column, true)} + ${own(g)}` : `${own(f)}·${a(row, column, true)}`),
    () => { const blocked = reader(inputs[1])(n, row, column) !== 0; b(); return blocked ? "−∞" : a(); },
    () => `${a()} ∨ ${b()}`,
    () => `${a()} = ${own(f)}`,
    () => `exp(${a()}) / (${list(depth, (k) => `exp(${a(row, k)})`)})`,
    () => `exp(${a()}) / (${list(depth, (k) => `exp(${a(k, column)})`)})`,
    () => moved(),
    () => list(depth, (k) => `${take(2, 0, k, true)}·tanh(${a(row, k)} + ${b(column, k)})`),
    () => `−½·(${list(depth, (k) => `((${a(row, k)} − ${b(column, k)})·${own(f)})²`)})`,
    () => `(${a()} − ${b()}) / √(${take(2, row, column)} + ${own(f)})`,
    () => list(depth, (k) => a(row, k)),
    () => `(${list(depth, (k) => a(row, k))}) / ${depth}`,
    () => `max(${list(depth, (k) => a(row, k), ", ")})`,
    () => `(${list(depth, (k) => `(${a(row, k)} − ${b(row, 0)})²`)}) / ${depth}`,
    () => `√(${list(depth, (k) => `${a(row, k, true)}²`)})`,
    () => `−(${list(depth, (k) => `${a(row, k)}·log2(${a(row, k)})`)})`,
    () => `max(0, ${a()})`,
    () => `tanh(${a()})`,
    () => `exp(${a()})`,
    () => `2^${a(row, column, true)}`,
    () => { exact = false; return `${column % 2 ? "cos" : "sin"}(${row} / 10000^(${column - (column % 2)}/${columns}))`; },
    () => moved(),
    () => list(column + 1, (k) => a(row, k)),
    () => `τ(${list(depth, (k) => a(row, k), ", ")})`,
    () => (f === 0 ? `${a()} > ${b()}` : power(`max(0, ${a()} − ${b()})`)),
    () => `${a(row, 0, true)}·(${row === column ? 1 : 0} − ${b(0, column)})`,
  ];
  function moved() {
    const cell = array.from(i);
    operands.push([array.in[0], cell]);
    return cellName(inputs[0], cell);
  }
  const expression = writers[op](), value = shownNumber(array, i);
  const ends = [1, 2, 3, 4, 6, 12, 16, 18, 22, 27, 28, 31].includes(op);
  own(value);
  const sign = [8, 9].includes(op) || (op === 30 && f === 0) ? "→" : exact && ends ? "=" : "≈";
  return { operands, text: expression === null ? null : `${cellName(array, i)} = ${expression} ${sign} ${numberText(value)}` };
}
