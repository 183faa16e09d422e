// ---- heads.js: all heads of all layers as small pictures, to choose from.

const THUMB = 48; // pixels a side that a map is shrunk to

const thumbs = new Map(); // "set-item-layer" -> [canvas] of each head

// A map shrunk by the largest weight of each block.
function thumbOf(map, colors) {
  const width = Math.min(THUMB, map.columns), height = Math.min(THUMB, map.rows), small = new Uint8Array(width * height);
  const { codes, columns, rows } = map;
  for (let r = 0; r < rows; r++) {
    const line = Math.floor((r * height) / rows) * width, row = r * columns;
    for (let c = 0; c < columns; c++) {
      const code = codes[row + c], at = line + Math.floor((c * width) / columns);
      if (code <= FINEST && code > small[at]) small[at] = code;
    }
  }
  if (width === columns && height === rows) small.set(codes); // with what is masked
  return Object.assign(pictureOf(new HeadMap(height, width, map.low, map.high, map.levels, small), colors), { map });
}

function layHeads(set, width) {
  const left = 30, top = 22;
  const side = Math.max(16, Math.min(96, Math.floor((width - left) / set.heads.length) - 4));
  return { left, top, side, step: side + 4, width: Math.max(width, left + (side + 4) * set.heads.length), height: top + (side + 4) * set.layers.length };
}

function headAt(layout, set, x, y) {
  const head = Math.floor((x - layout.left) / layout.step), layer = Math.floor((y - layout.top) / layout.step);
  return head >= 0 && layer >= 0 && head < set.heads.length && layer < set.layers.length ? { layer, head } : null;
}

function drawHeads(pen, layout, set, state, colors) {
  const every = Math.ceil(22 / layout.step); // not each has room for its number
  const named = layout.step > 56; // there is room for the words
  if (named) pen.text(0, 9, "layer", { size: 11, fill: colors.text2 });
  set.heads.forEach((number, h) => h % every === 0 &&
    pen.text(layout.left + h * layout.step + layout.side / 2, 10, (h === 0 && named ? "head " : "") + number, { size: 11, fill: colors.text2, align: "center" }));
  set.layers.forEach((number, l) => {
    const y = layout.top + l * layout.step, own = thumbs.get(`${state.set}-${state.item}-${l}`);
    if (l % every === 0) pen.text(layout.left - 8, y + layout.side / 2, String(number), { size: 11, fill: colors.text2, align: "right" });
    set.heads.forEach((_, h) => {
      const x = layout.left + h * layout.step;
      if (own) pen.image(own[h], x, y, layout.side, layout.side, { sharp: own[h].width < layout.side });
      else pen.rect(x, y, layout.side, layout.side, { fill: colors.panel });
      const isChosen = l === state.layer && (state.reduce !== "none" || h === state.head);
      if (isChosen) pen.rect(x - 1, y - 1, layout.side + 2, layout.side + 2, { stroke: colors.accent, thick: 2 });
    });
  });
}
