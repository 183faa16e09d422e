// ---- picture.js: weights over a picture, with the look that the window has (viz/canvas/heat.c). The picture stays bright; where it
// is looked at, it has its own full colours and a warm rim. A weight of 1/N shows nothing, four times that shows fully, so that an
// even map leaves the picture as it is.

const BRIGHTNESS = 0.75, FULL = 4, EVEN = 1.6;
const FADED = 20; // entries of the table of heat that rise from the colour of nothing
const RIM = "#ffbe5c", GLOW = "#ec700a";
const FIELD_SIDE = 160; // the field of weights between cells is computed at about so many places a side

// Catmull-Rom: a cell's centre shows the cell's own weight, and between centres it is smooth.
function tapsOf(places, cells) {
  const taps = [];
  for (let i = 0; i < places; i++) {
    const at = ((i + 0.5) / places) * cells - 0.5, first = Math.floor(at) - 1, f = at - Math.floor(at), f2 = f * f, f3 = f2 * f;
    const shares = [(-f + 2 * f2 - f3) / 2, (2 - 5 * f2 + 3 * f3) / 2, (f + 4 * f2 - 3 * f3) / 2, (f3 - f2) / 2];
    taps.push(shares.map((share, k) => [Math.max(0, Math.min(cells - 1, first + k)), share]));
  }
  return taps;
}

// The weights [gridH, gridW] between the cells: { width, height, values }.
function fieldOf(weights, gridW, gridH) {
  const fine = Math.max(1, Math.round(FIELD_SIDE / Math.max(gridW, gridH)));
  const width = gridW * fine, height = gridH * fine, across = tapsOf(width, gridW), down = tapsOf(height, gridH);
  const rows = new Float32Array(gridH * width), values = new Float32Array(height * width);
  for (let y = 0; y < gridH; y++)
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (const [cell, share] of across[x]) sum += share * weights[y * gridW + cell];
      rows[y * width + x] = sum;
    }
  for (let y = 0; y < height; y++)
    for (const [cell, share] of down[y])
      for (let x = 0; x < width; x++) values[y * width + x] += share * rows[cell * width + x];
  return { width, height, values };
}

const clamped = (t) => Math.max(0, Math.min(1, t));
const eased = (t) => t * t * (3 - 2 * t);

// The mean and the largest of the weights.
function measure(weights) {
  let sum = 0, most = 0;
  for (const w of weights) { sum += w; most = Math.max(most, w); }
  return { mean: sum / weights.length, most };
}

// The line around all places of the field with more than `level`, as an SVG path (marching squares).
function contourOf(field, level, x0, y0, width, height) {
  const { width: w, height: h, values } = field, parts = [];
  const at = (x, y) => (x < 0 || y < 0 || x >= w || y >= h ? -1 : values[y * w + x]); // beyond the edge: below the level
  const point = (x, y) => `${round(x0 + ((x + 0.5) / w) * width)} ${round(y0 + ((y + 0.5) / h) * height)}`;
  const between = (a, b) => (a < 0 || b < 0 ? 0.5 : (level - a) / (b - a));
  for (let y = -1; y < h; y++)
    for (let x = -1; x < w; x++) {
      const a = at(x, y), b = at(x + 1, y), c = at(x + 1, y + 1), d = at(x, y + 1);
      const kind = (a > level ? 1 : 0) | (b > level ? 2 : 0) | (c > level ? 4 : 0) | (d > level ? 8 : 0);
      if (kind === 0 || kind === 15) continue;
      const top = () => point(x + between(a, b), y), right = () => point(x + 1, y + between(b, c));
      const bottom = () => point(x + between(d, c), y + 1), left = () => point(x, y + between(a, d));
      const ends = { 1: [left, top], 2: [top, right], 3: [left, right], 4: [right, bottom], 5: [left, top, right, bottom], 6: [top, bottom], 7: [left, bottom],
        8: [bottom, left], 9: [bottom, top], 10: [top, right, bottom, left], 11: [bottom, right], 12: [right, left], 13: [right, top], 14: [top, left] }[kind];
      for (let i = 0; i < ends.length; i += 2) parts.push(`M${ends[i]()}L${ends[i + 1]()}`);
    }
  return parts.join("");
}

// Fields of shares as a picture: opaque as far as each place is attended; with `heat` in its colours, by the field of places on
// their scale.
function layerOf(shares, heat) {
  const canvas = document.createElement("canvas");
  canvas.width = shares.width;
  canvas.height = shares.height;
  const context = canvas.getContext("2d"), image = context.createImageData(shares.width, shares.height), bytes = image.data;
  for (let i = 0; i < shares.values.length; i++) {
    if (heat) {
      const color = heat.table[Math.max(FADED, Math.round(255 * clamped(heat.places.values[i])))];
      bytes[4 * i] = color & 255;
      bytes[4 * i + 1] = (color >> 8) & 255;
      bytes[4 * i + 2] = (color >> 16) & 255;
    }
    bytes[4 * i + 3] = 255 * eased(clamped(shares.values[i])) * (heat ? 0.85 : 1);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// The picture where it is not attended: darker, and less colourful.
function dimmedOf(picture, width, height) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const c = canvas.getContext("2d");
  c.imageSmoothingQuality = "high";
  c.drawImage(picture, 0, 0, width, height);
  c.globalCompositeOperation = "saturation";
  c.globalAlpha = 1.33 * (1 - BRIGHTNESS);
  c.fillStyle = "#808080";
  c.fillRect(0, 0, width, height);
  c.globalCompositeOperation = "source-over";
  c.globalAlpha = 1 - BRIGHTNESS;
  c.fillStyle = "#000000";
  c.fillRect(0, 0, width, height);
  return canvas;
}

let kept = {}; // the picture in full and dimmed, of the size that is shown
function keptPictures(picture, width, height) {
  if (kept.width !== width || kept.height !== height || kept.picture !== picture) {
    const full = document.createElement("canvas");
    full.width = width;
    full.height = height;
    full.getContext("2d").imageSmoothingQuality = "high";
    full.getContext("2d").drawImage(picture, 0, 0, width, height);
    kept = { picture, width, height, full, dimmed: dimmedOf(picture, width, height) };
  }
  return kept;
}

// Where the whole picture lies, of which [0, width) x [0, height) is seen: not the padding of one that was made square.
function layPicture(width, height) {
  const { width: w, height: h, part: [x0, y0, x1, y1] = [0, 0, 1, 1] } = page.picture;
  const scale = Math.min(width / (w * (x1 - x0)), height / (h * (y1 - y0)));
  return { width: Math.round(w * (x1 - x0) * scale), height: Math.round(h * (y1 - y0) * scale),
    box: { x: Math.round(-x0 * w * scale), y: Math.round(-y0 * h * scale), width: Math.round(w * scale), height: Math.round(h * scale) } };
}

// `weights` [grid] of the cells; `query` is the cell that looks, or null. Two canvases are drawn: `dimmed` by as much as anything
// stands out, and over it what is lit.
function drawPicture(pen, box, picture, weights, grid, query, look, colors, density) {
  const [gridW, gridH] = grid, { mean, most } = measure(weights);
  const { full, dimmed } = keptPictures(picture, Math.round(box.width * density), Math.round(box.height * density));
  const shares = fieldOf(weights.map((w) => clamped((w - mean) / ((FULL - 1) * mean))), gridW, gridH);
  const heat = look === "heat" && { table: colors.heat, places: fieldOf(weights.map((w) => Math.sqrt(w / most)), gridW, gridH) };
  const lit = document.createElement("canvas");
  lit.width = full.width;
  lit.height = full.height;
  const c = lit.getContext("2d");
  c.imageSmoothingQuality = "high";
  c.globalAlpha = clamped((most / mean - 1) / (FULL - 1)); // an even map dims nothing
  c.drawImage(dimmed, 0, 0);
  c.globalAlpha = 1;
  const layer = document.createElement("canvas");
  layer.width = full.width;
  layer.height = full.height;
  const over = layer.getContext("2d");
  over.imageSmoothingQuality = "high";
  over.drawImage(layerOf(shares, heat), 0, 0, layer.width, layer.height);
  if (!heat) {
    over.globalCompositeOperation = "source-in";
    over.drawImage(full, 0, 0);
  }
  c.drawImage(layer, 0, 0);
  pen.image(full, box.x, box.y, box.width, box.height);
  pen.image(lit, box.x, box.y, box.width, box.height);
  if (most > EVEN * mean && !heat) {
    const rim = contourOf(shares, 0.5, box.x, box.y, box.width, box.height);
    const thick = Math.max(0.9, Math.min(2, 0.0025 * Math.min(box.width, box.height)));
    pen.path(rim, { stroke: GLOW, thick: 8 * thick, alpha: 0.16 });
    pen.path(rim, { stroke: GLOW, thick: 5 * thick, alpha: 0.3 });
    pen.path(rim, { stroke: RIM, thick: 2 * thick });
  }
  if (query) {
    const w = box.width / gridW, h = box.height / gridH;
    pen.rect(box.x + query.x * w, box.y + query.y * h, w, h, { stroke: "#000000", thick: 4, alpha: 0.5 });
    pen.rect(box.x + query.x * w, box.y + query.y * h, w, h, { stroke: "#ffffff", thick: 2 });
  }
}
