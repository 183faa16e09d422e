// ---- live.js: other weights of the same queries and keys: with another score, temperature or mask, computed here.

const OWN_MASK = "own", NO_MASK = "none", CAUSAL = "causal";
const live = { temperature: 1, mask: OWN_MASK, score: null }; // score null: the page's own

const hasVectors = () => Boolean(page.vectors) && state.set === 0;
const isLive = () => hasVectors() && (live.temperature !== 1 || live.mask !== OWN_MASK || live.score !== null);

// The scores that queries and keys have without weights of their own: where the page's is one of them, it can be changed for another.
const SCORES = {
  "dot": (q, k) => dotOf(q, k),
  "scaled-dot": (q, k) => dotOf(q, k) / Math.sqrt(q.length),
  "gaussian": (q, k) => -0.5 * q.reduce((sum, x, i) => sum + (x - k[i]) ** 2, 0) * (page.vectors.width || 1) ** 2,
};
function dotOf(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

// The page's own score of a query and a key.
function ownScore(q, k, hidden) {
  const { score, scale, width } = page.vectors;
  if (score === "gaussian") return -0.5 * scale * q.reduce((sum, x, i) => sum + ((x - k[i]) * width) ** 2, 0);
  if (score === "additive") return scale * q.reduce((sum, x, i) => sum + hidden[i] * Math.tanh(x + k[i]), 0);
  return scale * dotOf(q, k);
}

// All queries, keys and weights of an additive score, head by head; unpacked once.
let vectors = null;
async function loadVectors() {
  if (!vectors) {
    const element = document.getElementById("vectors"), bytes = await inflate(bytesOfBase64(element.textContent));
    element.remove();
    vectors = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }
  return vectors;
}

// The maps of one layer, as the settings make them.
async function mapsOf(number, it, layer) {
  const maps = await loadLayer(number, it, layer);
  return isLive() ? liveMaps(maps, it, layer) : maps;
}

async function liveMaps(maps, it, layer) {
  const all = await loadVectors(), { dim, hidden } = page.vectors, { heads, layers } = set();
  const { steps, positions } = set().items[it], size = (steps + positions + (hidden ? 1 : 0)) * dim;
  return maps.map((map, head) => {
    const from = ((it * layers.length + layer) * heads.length + head) * size;
    const vector = (i) => all.subarray(from + i * dim, from + (i + 1) * dim), w = hidden ? vector(steps + positions) : null;
    const score = live.score ? SCORES[live.score] : (q, k) => ownScore(q, k, w);
    const values = new Float32Array(steps * positions), codes = new Uint8Array(steps * positions);
    for (let r = 0; r < steps; r++) {
      const q = vector(r), row = new Float64Array(positions);
      let most = -Infinity, sum = 0;
      for (let c = 0; c < positions; c++) {
        const blocked = live.mask === CAUSAL ? c > r + positions - steps : live.mask === OWN_MASK && map.isMasked(r, c);
        if (blocked) codes[r * positions + c] = MASKED;
        row[c] = blocked ? -Infinity : score(q, vector(steps + c)) / live.temperature;
        most = Math.max(most, row[c]);
      }
      for (let c = 0; c < positions; c++) sum += row[c] = most === -Infinity ? 0 : Math.exp(row[c] - most);
      for (let c = 0; c < positions; c++) values[r * positions + c] = sum ? row[c] / sum : 0;
    }
    return new HeadMap(steps, positions, 0, 0, FINEST, codes).withValues(values);
  });
}

function buildLiveChoices() {
  if (!hasVectors()) return;
  const change = (settings) => {
    Object.assign(live, settings);
    thumbs.clear();
    choose().then(readAhead);
  };
  const group = document.createElement("div"), slider = document.createElement("input"), value = document.createElement("span");
  group.className = "group";
  Object.assign(slider, { type: "range", min: -40, max: 40, step: 1 });
  slider.setAttribute("aria-label", "temperature");
  const temperatureOf = (stop) => Number((10 ** (stop / 40)).toPrecision(3)); // 0.1 to 10
  slider.addEventListener("input", () => change({ temperature: temperatureOf(Number(slider.value)) }));
  group.append(Object.assign(document.createElement("span"), { textContent: "temperature" }), slider, value);
  get("choices").append(group);
  showChoices.list.push(() => {
    slider.value = Math.round(40 * Math.log10(live.temperature));
    value.textContent = String(live.temperature);
    slider.setAttribute("aria-valuetext", value.textContent);
  });
  const masked = map && map.codes.includes(MASKED);
  addChoice("mask", [[OWN_MASK, masked || live.mask !== OWN_MASK ? "as it is" : "none"], ...(masked || live.mask !== OWN_MASK ? [[NO_MASK, "none"]] : []), [CAUSAL, "causal"]],
    (v) => v === live.mask, (mask) => change({ mask }));
  const own = page.vectors.score;
  if (own in SCORES) addChoice("score", Object.keys(SCORES).map((score) => [score, score.replace("-", " ")]), (v) => v === (live.score || own),
    (score) => change({ score: score === own ? null : score }));
}
