// ---- matrix.js: one map as a matrix: a row for each query, a column for each key.

const LEAST_LABELED = 7.5; // size of a cell in pixels from which on each row and column has its name
const LABEL = 12;          // size of letters, at most

// Where the matrix stands in `width` x `height`, and which part of it is seen: `zoom` is { scale, x, y }, where x and y are the
// first column and row, and a scale of 1 shows all.
function layMatrix(map, set, item, width, height, zoom) {
  let room = 0, head = 0;
  const widest = (side, count) => {
    let most = 0;
    for (let i = 0; i < Math.min(count, 1200); i++) most = Math.max(most, textWidth(labelOf(set, item, side, i), LABEL));
    return Math.min(most, 120) + 8;
  };
  const cellFor = () => Math.max(0.25, Math.min((width - room - 22) / map.columns, (height - head - 22) / map.rows, 48)) * zoom.scale;
  let cell = cellFor();
  if (cell >= LEAST_LABELED) {
    room = widest("rows", map.rows);
    head = widest("columns", map.columns);
    cell = cellFor();
    if (cell < LEAST_LABELED) {
      room = head = 0;
      cell = cellFor();
    }
  }
  const left = 22 + room, top = 22 + head;
  const box = { x: left, y: top, width: Math.min(width - left, cell * map.columns), height: Math.min(height - top, cell * map.rows) };
  const columns = Math.min(map.columns, box.width / cell), rows = Math.min(map.rows, box.height / cell);
  zoom.x = Math.max(0, Math.min(zoom.x, map.columns - columns));
  zoom.y = Math.max(0, Math.min(zoom.y, map.rows - rows));
  return { box, cell, room, head, columns, rows, height: top + box.height + 44, labeled: room > 0 };
}

// The row and column at a point of the canvas; null: none.
function matrixAt(layout, zoom, map, x, y) {
  const column = Math.floor((x - layout.box.x) / layout.cell + zoom.x), row = Math.floor((y - layout.box.y) / layout.cell + zoom.y);
  const inside = x >= layout.box.x && y >= layout.box.y && x < layout.box.x + layout.box.width && y < layout.box.y + layout.box.height;
  return inside && row < map.rows && column < map.columns ? { row, column } : null;
}

// A map as a picture of one pixel a weight.
function pictureOf(map, colors) {
  const canvas = document.createElement("canvas");
  canvas.width = map.columns;
  canvas.height = map.rows;
  const context = canvas.getContext("2d"), image = context.createImageData(map.columns, map.rows);
  const pixels = new Uint32Array(image.data.buffer), ofCode = colorsOf(map, colors);
  for (let i = 0; i < pixels.length; i++) pixels[i] = ofCode[map.codes[i]];
  context.putImageData(image, 0, 0);
  return canvas;
}

// The weight at the end of the scale: the largest of all maps, or of this one.
function mostOf(map, colors) { return (colors.scale === "map" ? map.high : colors.most) || 1; }

// The colour of each code, as a pixel.
function colorsOf(map, colors) {
  const ofCode = new Uint32Array(256);
  const most = mostOf(map, colors);
  for (let c = 0; c <= map.levels; c++) ofCode[c] = colors.table[placeOf(map.ofCode[c], most, colors)];
  ofCode[MASKED] = ofCode[NOT_A_NUMBER] = colors.masked;
  return ofCode;
}

// The entry of the table of 256 colours for a weight.
function placeOf(weight, most, colors) {
  const share = Math.max(0, Math.min(1, weight / most));
  return Math.round(255 * (colors.scale === "root" ? Math.sqrt(share) : share)) || 0;
}

function drawMatrix(pen, layout, map, picture, set, item, state, colors) {
  const { box, cell, labeled } = layout, zoom = state.zoom;
  const toX = (column) => box.x + (column - zoom.x) * cell, toY = (row) => box.y + (row - zoom.y) * cell;
  pen.clip(box.x, box.y, box.width, box.height, () =>
    pen.image(picture, toX(0), toY(0), cell * map.columns, cell * map.rows, { sharp: true }));
  const color = (side, index) => (index === (side === "rows" ? state.row : state.column) ? colors.accent : colors.text2);
  if (labeled) {
    const size = Math.min(LABEL, Math.max(8, cell + 1));
    const last = (first, count, all) => Math.min(all, Math.ceil(first + count - 0.01));
    for (let r = Math.floor(zoom.y); r < last(zoom.y, layout.rows, map.rows); r++)
      pen.text(box.x - 6, toY(r + 0.5), fitText(labelOf(set, item, "rows", r), size, 120), { size, fill: color("rows", r), align: "right" });
    for (let c = Math.floor(zoom.x); c < last(zoom.x, layout.columns, map.columns); c++)
      pen.text(toX(c + 0.5), box.y - 6, fitText(labelOf(set, item, "columns", c), size, 120), { size, fill: color("columns", c), upward: true });
  }
  pen.text(box.x, 9, set.turned ? "query →" : "key →", { size: 12, fill: colors.text2 });
  pen.text(9, box.y, set.turned ? "← key" : "← query", { size: 12, fill: colors.text2, upward: true, align: "right" });
  pen.clip(box.x - 2, box.y - 2, box.width + 4, box.height + 4, () => {
    const thick = cell < 4 ? 1 : 2;
    pen.rect(box.x, toY(state.row), box.width, cell, { stroke: colors.accent, thick });
    if (state.column !== null) pen.rect(toX(state.column), toY(state.row), cell, cell, { stroke: colors.text, thick });
  });
  if (cell >= 34) drawNumbers(pen, layout, map, zoom, colors);
  drawBar(pen, box.x, box.y + box.height + 16, Math.min(box.width, 260), map, colors);
}

function drawNumbers(pen, layout, map, zoom, colors) {
  const { box, cell } = layout, most = mostOf(map, colors);
  for (let r = Math.ceil(zoom.y); r < Math.min(map.rows, Math.floor(zoom.y + layout.rows + 0.01)); r++)
    for (let c = Math.ceil(zoom.x); c < Math.min(map.columns, Math.floor(zoom.x + layout.columns + 0.01)); c++) {
      const weight = map.at(r, c);
      if (weight < 0.005 || map.isMasked(r, c)) continue;
      const light = colors.luminance[placeOf(weight, most, colors.scale !== "root")];
      pen.text(box.x + (c - zoom.x + 0.5) * cell, box.y + (r - zoom.y + 0.5) * cell, weight.toFixed(2).replace(/^0/, ""),
        { size: 11, fill: light > 0.4 ? "#14110b" : "#ffffff", align: "center" });
    }
}

// The bar of colours from 0 to the largest weight, with a mark where all keys have the same weight.
function drawBar(pen, x, y, width, map, colors) {
  const bar = document.createElement("canvas");
  bar.width = 256;
  bar.height = 1;
  const context = bar.getContext("2d"), image = context.createImageData(256, 1);
  new Uint32Array(image.data.buffer).set(colors.table);
  context.putImageData(image, 0, 0);
  pen.image(bar, x, y, width, 8);
  pen.rect(x, y, width, 8, { stroke: colors.line });
  pen.text(x, y + 18, "0", { size: 11, fill: colors.text2 });
  const most = mostOf(map, colors), even = 1 / map.columns;
  pen.text(x + width, y + 18, numberText(most), { size: 11, fill: colors.text2, align: "right" });
  const place = colors.scale === "root" ? Math.sqrt(even / most) : even / most;
  if (place > 0.08 && place < 0.86) {
    pen.path(`M${round(x + width * place)} ${round(y - 3)}v14`, { stroke: colors.text2 });
    pen.text(x + width * place, y + 18, "1/N", { size: 11, fill: colors.text2, align: "center" });
  }
}
