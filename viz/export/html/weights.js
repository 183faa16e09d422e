// ---- weights.js: the weights that the page holds.
//
// A page has one or more sets of maps ("encoder", "cross"); a set has items, layers and heads. The maps of one layer of one item
// stand in one script element, compressed, and are unpacked when they are first looked at: a page of 144 heads of 512 x 512 opens
// at once that way.

const page = JSON.parse(document.getElementById("data").textContent);

const MASKED = 254;       // a mask keeps this weight at 0
const NOT_A_NUMBER = 255;
const FINEST = 253;

// The weights of one head, [rows, columns], a byte each. A code c stands for high * (c / levels)^2, so that small weights are
// as exact as large ones; where some weight is negative, for low + (high - low) * c / levels.
class HeadMap {
  constructor(rows, columns, low, high, levels, codes) {
    Object.assign(this, { rows, columns, low, high, levels, codes });
    this.ofCode = new Float32Array(256); // the weight of each code
    for (let c = 0; c <= levels; c++) {
      const place = c / levels;
      this.ofCode[c] = low < 0 ? low + (high - low) * place : high * place * place;
    }
    this.ofCode[NOT_A_NUMBER] = NaN;
  }

  at(row, column) { return this.ofCode[this.codes[row * this.columns + column]]; }
  isMasked(row, column) { return this.codes[row * this.columns + column] === MASKED; }

  // The weights of one row, [columns].
  row(row) {
    const weights = new Float32Array(this.columns);
    for (let c = 0; c < this.columns; c++) weights[c] = this.at(row, c);
    return weights;
  }

  // The column of the largest weight of a row.
  heaviest(row) {
    let best = 0;
    for (let c = 1; c < this.columns; c++) if (this.at(row, c) > this.at(row, best)) best = c;
    return best;
  }

  // A map of other weights: `values` [rows, columns], masked where this one is.
  withValues(values) {
    let low = 0, high = 0;
    for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
    const span = high > low ? high - low : 1, codes = new Uint8Array(values.length);
    for (let i = 0; i < values.length; i++) {
      const share = (values[i] - low) / span;
      codes[i] = this.codes[i] === MASKED ? MASKED
               : Number.isNaN(share) ? NOT_A_NUMBER
               : Math.round((low < 0 ? share : Math.sqrt(share)) * FINEST);
    }
    return new HeadMap(this.rows, this.columns, low, high, FINEST, codes);
  }
}

// Several heads as one: the mean or the maximum of each weight.
function reduceHeads(maps, how) {
  const first = maps[0], values = new Float32Array(first.codes.length);
  for (let i = 0; i < values.length; i++) {
    let all = how === "max" ? -Infinity : how === "min" ? Infinity : 0;
    for (const map of maps) {
      const weight = map.ofCode[map.codes[i]];
      all = how === "max" ? Math.max(all, weight) : how === "min" ? Math.min(all, weight) : all + weight / maps.length;
    }
    values[i] = all;
  }
  return first.withValues(values);
}

// How much of each place reaches each other through the layers up to `last` (Abnar and Zuidema 2020): the products of the heads'
// means, to which what passes by is added as the identity.
async function rolloutOf(set, item, last) {
  let below = null, first = null;
  for (let layer = 0; layer <= last; layer++) {
    const mean = reduceHeads(await loadLayer(set, item, layer), "mean"), n = mean.rows, next = new Float32Array(n * n);
    first = first || mean;
    for (let i = 0; i < n; i++) {
      const row = mean.row(i).map((w) => w || 0);
      row[i] += 1;
      const sum = row.reduce((a, b) => a + b, 0);
      for (let j = 0; j < n; j++) {
        const share = row[j] / sum;
        if (!below) next[i * n + j] = share;
        else if (share) for (let k = 0; k < n; k++) next[i * n + k] += share * below[j * n + k];
      }
    }
    below = next;
  }
  return first.withValues(below);
}

// As if the first `count` keys had been blocked: their weights become 0, and the rest of each row sums to 1 again.
function withoutFirst(map, count) {
  const values = new Float32Array(map.codes.length);
  for (let r = 0; r < map.rows; r++) {
    let sum = 0;
    for (let c = count; c < map.columns; c++) sum += map.at(r, c);
    for (let c = count; c < map.columns; c++) values[r * map.columns + c] = sum > 0 ? map.at(r, c) / sum : 0;
  }
  return map.withValues(values);
}

function bytesOfBase64(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const loaded = new Map(); // "set-item-layer" -> promise of [HeadMap]

// The maps of one layer, one for each head.
function loadLayer(set, item, layer) {
  const key = `${set}-${item}-${layer}`;
  if (!loaded.has(key)) loaded.set(key, unpackLayer(set, item, layer, key));
  return loaded.get(key);
}

async function unpackLayer(set, item, layer, key) {
  const element = document.getElementById("w-" + key);
  const bytes = await inflate(bytesOfBase64(element.textContent));
  element.remove(); // the text is not needed any more
  const { steps, positions } = page.sets[set].items[item];
  const cells = steps * positions, view = new DataView(bytes.buffer), maps = [];
  for (let at = 0; at < bytes.length; at += 8 + cells) {
    const codes = bytes.subarray(at + 8, at + 8 + cells);
    maps.push(new HeadMap(steps, positions, view.getFloat32(at, true), view.getFloat32(at + 4, true), page.levels, codes));
  }
  return maps;
}

// The number as text, with as many digits as eight bits justify.
function numberText(weight) {
  if (Number.isNaN(weight)) return "NaN";
  const size = Math.abs(weight);
  if (size === 0) return "0";
  if (size >= 0.995) return weight.toFixed(size >= 9.95 ? 0 : 2);
  return size < 0.00095 ? weight.toExponential(0) : weight.toFixed(size >= 0.0995 ? 2 : size >= 0.00995 ? 3 : 4);
}
