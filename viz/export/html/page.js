// ---- page.js: what is shown, and how it answers.

const get = (id) => document.getElementById(id);
const canvas = get("canvas"), headsCanvas = get("overview").querySelector("canvas");
const colors = {};       // of the theme that is shown
const state = {
  set: 0, item: 0, layer: 0, head: 0, row: 0,
  column: null,          // the key that is pointed at
  focus: null,           // the line that is pointed at: { side, index }
  reduce: "none",        // heads as they are, their "mean", "max" or "min", or the "rollout" of the layers up to this one
  first: 0,              // so many first keys are left out
  view: "matrix", look: "light",
  zoom: { scale: 1, x: 0, y: 0 },
  lit: new Set(),        // heads that are drawn as lines
  playing: false,
};
let map = null;          // the map that is shown
let maps = null;         // those of all heads of its layer
let picture = null;      // of the page, once it is there
let mapPicture = null;   // of `map`, one pixel a weight
let layout = null;       // of the figure, as drawn last
let shown = null;        // the weights over the picture as they are drawn: on the way from one row to the next

const set = () => page.sets[state.set];
const item = () => set().items[state.item];
const isGenerated = () => Boolean(page.words) && state.set === 0;
const hasPicture = () => Boolean(page.picture && set().grid);
// Layers that follow each other from the first one on, of places that look at themselves; more products would take seconds.
const hasRollout = () => {
  const { layers, turned } = set(), n = item().steps;
  return layers.length > 1 && layers[0] === 0 && !turned && looksAtItself(item()) && !page.words && n ** 3 * layers.length < 4e8;
};
// The end of a scale that maps share.
const largestWeight = () => (isLive() && maps ? Math.max(...maps.map((own) => own.high)) : set().most);
const mapCount = () => set().layers.length * set().heads.length;

// ---------------------------------------------------------------- colours

// 256 pixels of "rrggbb" each; the bytes of a pixel are red, green, blue, alpha.
function tableOf(text) {
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const rgb = parseInt(text.slice(6 * i, 6 * i + 6), 16);
    return ((255 << 24) | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
  });
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  const style = getComputedStyle(document.documentElement);
  for (const key of ["ground", "panel", "line", "text", "text2", "accent"]) colors[key] = style.getPropertyValue("--" + key).trim();
  colors.isLight = name === "light";
  const own = page.colors[colors.isLight ? "light" : "dark"];
  colors.table = tableOf(own.map);
  colors.heat = tableOf(own.heat);
  colors.luminance = Float32Array.from(colors.table, (pixel) =>
    (0.2126 * (pixel & 255) + 0.7152 * ((pixel >> 8) & 255) + 0.0722 * ((pixel >> 16) & 255)) / 255);
  colors.masked = colors.isLight ? 0xffebe7e4 : 0xff2b241f; // bytes of a pixel: alpha, blue, green, red
  recolor();
}

// "root": by the square root, and "linear": both up to the largest weight of all maps; "map": linear, up to the map's own.
function setScale(scale) {
  colors.scale = scale;
  recolor();
}

// Small pictures and the matrix in other colours.
function recolor() {
  colors.most = largestWeight();
  for (const [key, own] of thumbs) thumbs.set(key, own.map((thumb) => thumbOf(thumb.map, colors)));
  mapPicture = map && pictureOf(map, colors);
}

// ---------------------------------------------------------------- what is chosen

// Brings the map of what is chosen; draws when it is there.
async function choose(changes = {}) {
  Object.assign(state, changes);
  const asked = `${state.set}-${state.item}-${state.layer}-${state.head}-${state.reduce}-${state.first}-${Object.values(live)}`;
  choose.asked = asked;
  const all = await mapsOf(state.set, state.item, state.layer);
  if (choose.asked !== asked) return; // something else was chosen meanwhile
  const reduced = state.reduce === "rollout" ? await rolloutOf(state.set, state.item, state.layer)
                : state.reduce === "none" ? all[state.head] : reduceHeads(all, state.reduce);
  if (choose.asked !== asked) return;
  maps = all;
  map = reduced;
  colors.most = largestWeight();
  if (state.first) map = withoutFirst(map, state.first);
  state.row = Math.min(state.row, map.rows - 1);
  if (state.column !== null && state.column >= map.columns) state.column = null;
  mapPicture = pictureOf(map, colors);
  glide();
  show();
}

// Another row: the same map.
function chooseRow(row) {
  state.row = Math.max(0, Math.min(row, map.rows - 1));
  state.focus = null;
  glide();
  show();
}

// The weights over the picture move from what is shown to those of the row.
function glide() {
  if (!hasPicture() || !map) return;
  const target = cellsOf(map.row(state.row)), from = shown && shown.length === target.length ? shown : target;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches || from === target;
  const begins = performance.now();
  glide.number = (glide.number || 0) + 1;
  const number = glide.number, step = (now) => {
    if (number !== glide.number) return;
    const t = still ? 1 : Math.min(1, Math.max(0, now - begins) / 300), eased = t * t * (3 - 2 * t);
    shown = target.map((weight, i) => from[i] + (weight - from[i]) * eased);
    if (state.view === "picture") drawFigure();
    if (t < 1) requestAnimationFrame(step);
  };
  step(begins);
}

// The weights of a row that lie on cells of the picture.
function cellsOf(weights) {
  const own = item().cells;
  return own ? Float32Array.from(own, (position) => weights[position]) : Float32Array.from(weights);
}

// ---------------------------------------------------------------- drawing

function penOf(target, width, height) {
  const density = Math.min(3, window.devicePixelRatio || 1);
  target.width = Math.round(width * density);
  target.height = Math.round(height * density);
  target.style.width = width + "px";
  target.style.height = height + "px";
  const context = target.getContext("2d");
  context.scale(density, density);
  return new CanvasPen(context);
}

// In a frame, such as a notebook's output, which is made as high as the page asks for: nothing may follow its height.
const framed = window.parent !== window;
const FRAMED_HEIGHT = 560;

function figureSize() {
  const width = Math.max(240, get("figure").clientWidth);
  const height = framed ? Math.min(FRAMED_HEIGHT, Math.max(300, 0.8 * width)) : Math.max(300, state.view === "picture" ? window.innerHeight - 250 : window.innerHeight - 300);
  return { width, height };
}

// The figure by any pen. Returns its size.
function drawFigureWith(makePen) {
  const { width, height } = figureSize();
  if (state.view === "picture") {
    layout = { kind: "picture", ...layPicture(width, height) };
    const pen = makePen(layout.width, layout.height);
    const query = looksAtItself(item()) && !isGenerated() ? cellOf(set(), item(), state.row) : null;
    pen.clip(0, 0, layout.width, layout.height, () =>
      drawPicture(pen, layout.box, picture, shown, set().grid, query, state.look, colors, Math.min(2, window.devicePixelRatio || 1)));
  } else if (state.view === "lines") {
    layout = { kind: "lines", ...layLines(map, Math.min(width, 860)) };
    const heads = litMaps();
    drawLines(makePen(layout.width, layout.height), layout, heads, set(), item(), state, colors);
  } else {
    layout = { kind: "matrix", ...layMatrix(map, set(), item(), width, height, state.zoom), width };
    drawMatrix(makePen(width, layout.height), layout, map, mapPicture, set(), item(), state, colors);
  }
  return layout;
}

// The heads that are drawn as lines, each with its colour.
function litMaps() {
  if (state.reduce !== "none" || set().heads.length === 1) return [{ map, color: colors.accent }];
  const lit = state.lit.size ? [...state.lit].filter((h) => h < maps.length) : [state.head];
  return lit.map((h) => ({ map: state.first ? withoutFirst(maps[h], state.first) : maps[h], color: state.lit.size > 1 ? headColor(h) : colors.accent }));
}

function drawFigure() {
  if (!map || (state.view === "picture" && !(picture && shown))) return;
  drawFigureWith((width, height) => penOf(canvas, width, height));
}

function drawOverview() {
  if (get("overview").hidden) return;
  const own = layHeads(set(), get("overview").clientWidth - 2);
  drawOverview.layout = own;
  drawHeads(penOf(headsCanvas, own.width, own.height), own, set(), state, colors);
}

// ---------------------------------------------------------------- what is written around it

function writeNamed() {
  const parts = [];
  if (set().name) parts.push(set().name + " attention");
  if (set().items.length > 1) parts.push(`item ${item().number}`);
  if (set().layers.length > 1 || set().heads.length > 1) {
    parts.push(`layer ${set().layers[state.layer]}`);
    const lit = [...state.lit].sort((a, b) => a - b).map((h) => set().heads[h]);
    parts.push(state.reduce === "rollout" ? `rollout of the layers up to this one`
             : state.reduce !== "none" ? `${state.reduce} of ${set().heads.length} heads`
             : state.view === "lines" && lit.length > 1 ? `heads ${lit.join(", ")}` : `head ${set().heads[state.head]}`);
  }
  if (state.first) parts.push(`first ${state.first > 1 ? state.first + " tokens" : "token"} left out, the rest sums to 1`);
  get("named").textContent = parts.join(", ");
  get("named").hidden = parts.length === 0;
}

function writeReadout() {
  const own = set(), it = item();
  const from = nameOf(own, it, "rows", state.row);
  if (state.column !== null) {
    const masked = map.isMasked(state.row, state.column);
    get("readout").textContent = `${from} → ${nameOf(own, it, "columns", state.column)}: ` +
      (masked ? "hidden by a mask" : numberText(map.at(state.row, state.column)));
    return;
  }
  const best = map.heaviest(state.row), weight = map.at(state.row, best);
  const { mean, most } = measure(hasPicture() ? cellsOf(map.row(state.row)) : map.row(state.row)), looks = most > EVEN * mean;
  let text = looks ? `${from} looks most at ${nameOf(own, it, "columns", best)}: ${numberText(weight)}` : `${from} looks everywhere alike`;
  if (isGenerated()) {
    const word = page.words[state.row], others = word.or.filter(([, p]) => p >= 0.01).slice(0, 3);
    if (looks && hasPicture()) text = `where it looked for ${from}`;
    text += ` · sure ${numberText(word.sure)}`;
    if (others.length) text += " · or " + others.map(([other, p]) => `${visible(other)} ${numberText(p)}`).join(", ");
  }
  get("readout").textContent = text;
}

// The words as buttons: those that look, and those that are looked at, shaded by their weights.
function buildSentence() {
  const place = get("sentence"), it = item(), own = set();
  place.replaceChildren();
  buildSentence.rows = buildSentence.columns = null;
  const line = (side, title, press) => {
    if (!it[side]) return null;
    if (title) place.append(Object.assign(document.createElement("p"), { textContent: title }));
    const words = it[side].map((_, i) => {
      const button = document.createElement("button"), text = document.createElement("bdi");
      text.textContent = labelOf(own, it, side, i);
      button.append(text);
      button.addEventListener("click", () => press(i));
      if (side === "columns") {
        button.addEventListener("pointerenter", () => { state.column = i; show(false); });
        button.addEventListener("pointerleave", () => { state.column = null; show(false); });
      }
      return button;
    });
    place.append(...words);
    return words;
  };
  const same = looksAtItself(it) && it.rows && it.columns && it.rows.every((label, i) => label === it.columns[i]);
  const pick = (i) => { pause(); chooseRow(i); };
  if (isGenerated()) {
    buildSentence.rows = line("rows", it.columns ? "word by word" : page.perhaps || "", pick);
    if (it.columns) buildSentence.columns = line("columns", "looks at", () => {});
  } else if (same) {
    buildSentence.rows = buildSentence.columns = line("rows", set().turned ? "" : "choose a word: those that it looks at are lit", pick);
  } else {
    buildSentence.rows = line("rows", set().turned ? "keys" : "queries: choose one", pick);
    buildSentence.columns = line("columns", set().turned ? "queries" : "looks at", (i) => { state.column = i; show(false); });
  }
}

function shadeSentence() {
  const { rows, columns } = buildSentence;
  if (columns) {
    const weights = map.row(state.row), most = weights.reduce((a, b) => (b > a ? b : a), 0) || 1;
    columns.forEach((button, i) => {
      const light = Math.max(0, weights[i] / most) || 0;
      button.style.color = light > 0.6 ? "var(--on-accent)" : "var(--text)";
      button.style.backgroundColor = light > 0.02 ? `color-mix(in srgb, ${colors.accent} ${Math.round(70 * light)}%, transparent)` : "";
    });
  }
  if (rows) rows.forEach((button, i) => {
    button.classList.toggle("current", i === state.row);
    button.classList.toggle("past", i < state.row);
    if (isGenerated()) button.classList.toggle("unsure", page.words[i].unsure);
    button.setAttribute("aria-current", i === state.row ? "true" : "false");
  });
  if (rows && state.playing) rows[state.row].scrollIntoView({ block: "nearest" });
}

// `all` false: only what the pointer changes.
function show(all = true) {
  if (!map) return;
  drawFigure();
  writeReadout();
  if (!all) return;
  writeNamed();
  shadeSentence();
  drawOverview();
  showChoices();
  const track = get("track");
  track.max = map.rows - 1;
  track.value = state.row;
  get("place").textContent = `${state.row + 1} of ${map.rows}`;
  get("play").textContent = state.playing ? "❚❚" : "▶";
}

// ---------------------------------------------------------------- playing

const STEP_MILLISECONDS = 800;

// A sentence that is over rests on the word that looked most narrowly; from there it begins again.
function play() {
  if (state.row >= map.rows - 1 || state.row === play.rested) state.row = -1;
  play.rested = null;
  state.playing = true;
  const step = () => {
    if (!state.playing) return;
    if (state.row >= map.rows - 1) {
      if (isGenerated() && page.rest >= 0) chooseRow((play.rested = page.rest));
      return pause();
    }
    state.column = null;
    chooseRow(state.row + 1);
    play.timer = setTimeout(step, STEP_MILLISECONDS);
  };
  step();
}

function pause() {
  clearTimeout(play.timer);
  if (!state.playing) return;
  state.playing = false;
  show();
}

// ---------------------------------------------------------------- choices

// A group of buttons of which one is pressed. `options` are [value, text].
function addChoice(title, options, value, press) {
  const group = document.createElement("div");
  group.className = "group";
  if (title) group.append(Object.assign(document.createElement("span"), { textContent: title }));
  const buttons = options.map(([own, text, color]) => {
    const button = document.createElement("button");
    button.textContent = text;
    if (color) { button.className = "color"; button.style.setProperty("--own", color); }
    button.addEventListener("click", () => press(own));
    group.append(button);
    return [own, button];
  });
  get("choices").append(group);
  showChoices.list.push(() => buttons.forEach(([own, button]) => button.setAttribute("aria-pressed", String(value(own)))));
}

// A list to choose one number from, with a step back and on.
function addNumber(title, names, value, choose) {
  if (names.length < 2) return;
  const group = document.createElement("div"), select = document.createElement("select");
  group.className = "group";
  const label = Object.assign(document.createElement("span"), { textContent: title });
  names.forEach((name, i) => select.append(new Option(name, i)));
  select.setAttribute("aria-label", title);
  select.addEventListener("change", () => choose(Number(select.value)));
  const step = (by, text) => {
    const button = Object.assign(document.createElement("button"), { textContent: text, title: `${by < 0 ? "previous" : "next"} ${title}` });
    button.addEventListener("click", () => choose((value() + by + names.length) % names.length));
    return button;
  };
  group.append(label, step(-1, "‹"), select, step(1, "›"));
  get("choices").append(group);
  showChoices.list.push(() => { select.value = value(); });
}

function buildChoices() {
  get("choices").replaceChildren();
  showChoices.list = [];
  const views = [];
  if (hasPicture()) views.push(["picture", "Picture"]);
  views.push(["matrix", "Matrix"]);
  if (!hasPicture() || item().columns) views.push(["lines", "Lines"]);
  if (views.length > 1) addChoice("", views, (v) => v === state.view, (view) => { state.view = view; resetZoom(); buildChoices(); show(); });
  if (page.sets.length > 1)
    addChoice("", page.sets.map((s, i) => [i, s.name || "alignment"]), (v) => v === state.set, turnTo);
  addNumber("item", set().items.map((i) => i.number), () => state.item, (i) => { state.row = 0; state.column = null; choose({ item: i }).then(rebuild); });
  addNumber("layer", set().layers, () => state.layer, (layer) => choose({ layer }));
  const heads = set().heads;
  const several = heads.length > 1;
  if (several) addNumber("head", heads, () => state.head, (head) => choose({ head, reduce: "none" }));
  const kinds = [["none", several ? "one head" : "one layer"], ...(several ? [["mean", "mean"], ["max", "max"]] : []), ...(hasRollout() ? [["rollout", "rollout"]] : [])];
  if (kinds.length > 1) addChoice("", kinds, (v) => v === state.reduce, (reduce) => choose({ reduce }));
  if (state.view === "lines" && heads.length > 1 && heads.length <= 32)
    addChoice("lines of", heads.map((number, h) => [h, String(number), headColor(h)]), (h) => (state.lit.size ? state.lit.has(h) : h === state.head), (h) => {
      if (!state.lit.size) state.lit.add(state.head);
      if (!state.lit.delete(h)) state.lit.add(h);
      choose({ reduce: "none", head: state.lit.size === 1 ? [...state.lit][0] : state.head });
    });
  if (!isGenerated() && !hasPicture() && map && map.columns > 2)
    addChoice("", [[1, "without first token"]], () => state.first > 0, () => choose({ first: state.first ? 0 : firstCount() }));
  buildLiveChoices();
  if (state.view === "picture") addChoice("", [["light", "light"], ["heat", "heat"]], (v) => v === state.look, (look) => { state.look = look; show(); });
  if (state.view === "matrix") {
    addChoice("", [["+", "+"], ["-", "−"]], () => false, (sign) => { zoomBy(sign === "+" ? 2 : 0.5); show(); });
    addChoice("scale", [["root", "root"], ["linear", "linear"], ["map", "per map"]], (v) => v === colors.scale, (v) => { setScale(v); show(); });
  }
  showChoices();
}
function showChoices() { for (const one of showChoices.list || []) one(); }
function firstCount() { return Math.max(1, Number(page.start["first tokens count"]) || 1); }

// ---------------------------------------------------------------- zoom

function resetZoom() { state.zoom = { scale: 1, x: 0, y: 0 }; }

// Around a point of the matrix: without one, around the current cell.
function zoomBy(factor, at = { row: state.row, column: state.column ?? map.heaviest(state.row) }) {
  const scale = Math.max(1, Math.min(64, state.zoom.scale * factor)), by = state.zoom.scale / scale;
  const middleX = at.column + 0.5, middleY = at.row + 0.5;
  const columns = map.columns / state.zoom.scale, rows = map.rows / state.zoom.scale;
  const inX = middleX >= state.zoom.x && middleX <= state.zoom.x + columns ? (middleX - state.zoom.x) / columns : 0.5;
  const inY = middleY >= state.zoom.y && middleY <= state.zoom.y + rows ? (middleY - state.zoom.y) / rows : 0.5;
  state.zoom = { scale, x: middleX - inX * columns * by, y: middleY - inY * rows * by };
}

// ---------------------------------------------------------------- the pointer

function placeIn(target, event) {
  const box = target.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

let drag = null; // { x, y } where a zoomed matrix was taken

function pointAt(event, chooses) {
  const [x, y] = placeIn(canvas, event);
  if (!layout) return;
  if (layout.kind === "matrix") {
    const cell = matrixAt(layout, state.zoom, map, x, y);
    state.column = cell ? cell.column : null;
    if (cell && (chooses || event.pointerType === "mouse") && cell.row !== state.row) { pause(); chooseRow(cell.row); }
    else show(false);
  } else if (layout.kind === "lines") {
    const end = lineAt(layout, map, x, y);
    state.focus = end;
    state.column = end && end.side === "columns" ? end.index : null;
    if (end && end.side === "rows" && chooses) { pause(); chooseRow(end.index); state.focus = end; }
    show(false);
  } else {
    const [gridW, gridH] = set().grid;
    const { box } = layout;
    const cell = { x: Math.floor(((x - box.x) / box.width) * gridW), y: Math.floor(((y - box.y) / box.height) * gridH) };
    if (cell.x < 0 || cell.y < 0 || cell.x >= gridW || cell.y >= gridH) return;
    const position = positionOf(set(), item(), cell.x, cell.y);
    state.column = position;
    if (looksAtItself(item()) && !isGenerated() && (chooses || event.pointerType === "mouse")) { state.column = null; if (position !== state.row) { pause(); chooseRow(position); } }
    else show(false);
  }
}

// Two fingers on a matrix: their distance zooms, and what lies between them stays there.
let pinch = null; // { apart, x, y }
function fingers(event) {
  const [a, b] = event.touches;
  return { apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 };
}
canvas.addEventListener("touchstart", (event) => {
  pinch = event.touches.length === 2 && layout && layout.kind === "matrix" ? fingers(event) : null;
  if (pinch) event.preventDefault();
}, { passive: false });
canvas.addEventListener("touchmove", (event) => {
  if (!pinch || event.touches.length !== 2) return;
  event.preventDefault();
  const now = fingers(event);
  state.zoom.x -= (now.clientX - pinch.clientX) / layout.cell;
  state.zoom.y -= (now.clientY - pinch.clientY) / layout.cell;
  zoomBy(now.apart / Math.max(pinch.apart, 1), matrixAt(layout, state.zoom, map, ...placeIn(canvas, now)) || undefined);
  pinch = now;
  show(false);
}, { passive: false });
for (const ends of ["touchend", "touchcancel"]) canvas.addEventListener(ends, () => { pinch = null; });

canvas.addEventListener("pointermove", (event) => {
  if (pinch) return;
  if (drag && layout.kind === "matrix" && event.buttons) {
    state.zoom.x = drag.zoomX - (event.clientX - drag.x) / layout.cell;
    state.zoom.y = drag.zoomY - (event.clientY - drag.y) / layout.cell;
    drag.moved = true;
    return show(false);
  }
  if (event.pointerType === "mouse" || event.buttons) pointAt(event, false);
});
canvas.addEventListener("pointerdown", (event) => {
  if (state.zoom.scale > 1) drag = { x: event.clientX, y: event.clientY, zoomX: state.zoom.x, zoomY: state.zoom.y };
});
canvas.addEventListener("click", (event) => {
  const moved = drag && drag.moved;
  drag = null;
  if (!moved) pointAt(event, true);
});
window.addEventListener("pointerup", () => setTimeout(() => { drag = null; }, 0));
canvas.addEventListener("pointerleave", () => { state.column = state.focus = null; show(false); });
canvas.addEventListener("dblclick", (event) => {
  const cell = layout.kind === "matrix" && matrixAt(layout, state.zoom, map, ...placeIn(canvas, event));
  if (cell) { zoomBy(2, cell); show(); }
});
canvas.addEventListener("wheel", (event) => {
  if (!event.ctrlKey || layout.kind !== "matrix") return; // without Ctrl the page scrolls
  event.preventDefault();
  const cell = matrixAt(layout, state.zoom, map, ...placeIn(canvas, event));
  zoomBy(event.deltaY < 0 ? 1.25 : 0.8, cell || undefined);
  show(false);
}, { passive: false });
headsCanvas.addEventListener("click", (event) => {
  const chosen = headAt(drawOverview.layout, set(), ...placeIn(headsCanvas, event));
  if (chosen) { state.lit.clear(); choose({ ...chosen, reduce: "none" }); }
});
headsCanvas.style.cursor = "pointer";

// ---------------------------------------------------------------- keys

document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT)$/.test(target.tagName) || !map) return;
  const isHeads = target === headsCanvas;
  const key = event.key, layers = set().layers.length, heads = set().heads.length;
  if (key === " " && target.tagName !== "BUTTON") state.playing ? pause() : play();
  else if (isHeads && key === "ArrowLeft") choose({ head: (state.head + heads - 1) % heads, reduce: "none" });
  else if (isHeads && key === "ArrowRight") choose({ head: (state.head + 1) % heads, reduce: "none" });
  else if (isHeads && key === "ArrowUp") choose({ layer: (state.layer + layers - 1) % layers });
  else if (isHeads && key === "ArrowDown") choose({ layer: (state.layer + 1) % layers });
  else if (key === "ArrowLeft") { pause(); chooseRow(state.row - 1); }
  else if (key === "ArrowRight") { pause(); chooseRow(state.row + 1); }
  else return;
  event.preventDefault();
});
get("play").addEventListener("click", () => (state.playing ? pause() : play()));
get("track").addEventListener("input", () => { pause(); chooseRow(Number(get("track").value)); });
get("theme").addEventListener("click", () => { setTheme(colors.isLight ? "dark" : "light"); show(); });
get("save").addEventListener("click", saveSvg);
let resized = 0;
window.addEventListener("resize", () => { cancelAnimationFrame(resized); resized = requestAnimationFrame(() => show()); });

// ---------------------------------------------------------------- the figure as SVG

// Title, figure, readout, and the words as they stand on the page.
function svgOfWhatIsSeen() {
  const pen = new SvgPen(), margin = 16;
  let at = margin + 8;
  const lines = [visible(page.title), get("named").hidden ? "" : get("named").textContent].filter(Boolean);
  const figure = { parts: new SvgPen() };
  const size = drawFigureWith(() => figure.parts);
  const words = wordsOnPage();
  const width = Math.max(size.width, words.width, 200) + 2 * margin;
  const text = [];
  lines.forEach((line, i) => { text.push([margin, at, line, { size: i ? 13 : 16, bold: i === 0, fill: i ? colors.text2 : colors.text }]); at += 24; });
  const top = at;
  at += size.height + 18;
  text.push([margin, at, get("readout").textContent, { size: 13, fill: colors.text2 }]);
  at += 16;
  pen.rect(0, 0, width, at + words.height + margin, { fill: colors.ground });
  for (const [x, y, line, style] of text) pen.text(x, y, fitText(line, style.size, width - 2 * margin), style);
  pen.parts.push(`<g transform="translate(${margin} ${round(top)})">`, ...figure.parts.parts, "</g>");
  for (const word of words.list) {
    if (word.shade) pen.rect(margin + word.x, at + word.y, word.width, word.height, { fill: colors.accent, alpha: word.shade, round: 5 });
    if (word.current) pen.rect(margin + word.x, at + word.y, word.width, word.height, { stroke: colors.accent, thick: 2, round: 5 });
    pen.text(margin + word.x + word.width / 2, at + word.y + word.height / 2, word.text, { size: word.size, fill: word.color, align: "center" });
  }
  drawFigure(); // the screen's layout again
  return pen.file(width, at + words.height + margin);
}

function wordsOnPage() {
  const frame = get("sentence").getBoundingClientRect(), list = [];
  const weights = buildSentence.columns ? map.row(state.row) : null, most = weights ? weights.reduce((a, b) => (b > a ? b : a), 0) || 1 : 1;
  for (const side of new Set([buildSentence.rows, buildSentence.columns])) {
    if (side) side.forEach((button, i) => {
      const box = button.getBoundingClientRect(), style = getComputedStyle(button);
      list.push({ x: box.left - frame.left, y: box.top - frame.top + get("sentence").scrollTop, width: box.width, height: box.height, text: button.textContent,
        size: parseFloat(style.fontSize), color: style.color, current: !isGenerated() && side === buildSentence.rows && i === state.row,
        shade: side === buildSentence.columns ? round(0.7 * Math.max(0, weights[i] / most)) : 0 });
    });
  }
  const height = list.reduce((most, word) => Math.max(most, word.y + word.height), 0);
  return { list, width: list.length ? frame.width : 0, height };
}

function saveSvg() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([svgOfWhatIsSeen()], { type: "image/svg+xml" }));
  link.download = (page.title.replace(/[^\w.-]+/g, "-").replace(/^[-.]+/, "") || "attention") + ".svg";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// ---------------------------------------------------------------- beginning

function rebuild() { buildChoices(); buildSentence(); layStage(); show(); }

function layStage() {
  get("overview").hidden = mapCount() < 2;
  const main = document.querySelector("main");
  main.classList.toggle("pair", mapCount() > 1);
  main.style.setProperty("--heads", set().heads.length * 100 + 40 + "px");
  document.body.classList.toggle("generated", isGenerated());
  document.body.classList.toggle("beside", isGenerated() && hasPicture());
}

function writeAbout() {
  const own = set(), parts = [];
  const many = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
  if (isGenerated() && page.sentence) parts.push(`${page.perhaps ? page.perhaps + " " : ""}“${visible(page.sentence)}”`);
  if (mapCount() > 1) parts.push(`${many(own.layers.length, "layer")} × ${many(own.heads.length, "head")}`);
  if (!isGenerated()) parts.push(`${item().steps} × ${item().positions}`);
  if (page.dtype && !isGenerated()) parts.push(visible(page.dtype));
  get("about").textContent = parts.join(" · ");
}

// Another set of maps: over the same cells of a picture, as those of another normalizer are, what is looked at stays.
async function turnTo(number) {
  const alike = !page.words && hasPicture() && page.sets[number].grid, { row, view } = state;
  await open(number, alike ? { row } : {});
  if (alike && view !== state.view) { state.view = view; rebuild(); show(); }
}

// Shows a set of maps from its beginning.
async function open(number, begin = {}) {
  const inside = (value, count) => Math.max(0, Math.min(value || 0, count - 1));
  const own = page.sets[number];
  pause();
  Object.assign(state, { set: number, item: inside(begin.item, own.items.length), layer: inside(begin.layer, own.layers.length), head: inside(begin.head, own.heads.length),
    row: begin.row || 0, column: null, focus: null, lit: new Set() });
  if (state.reduce === "rollout" && !hasRollout()) state.reduce = "none";
  resetZoom();
  shown = null;
  map = null;
  recolor();
  const view = begin.view || state.view, lines = view === "alignment" || view === "translation" || (view === "lines" && !own.grid);
  state.view = own.grid && page.picture ? "picture" : lines ? "lines" : "matrix";
  layStage();
  await choose();
  writeAbout();
  rebuild();
  readAhead();
}

// The other layers, one after the other, for the small pictures.
async function readAhead() {
  const number = state.set, it = state.item, own = page.sets[number];
  if (mapCount() < 2) return;
  for (let layer = 0; layer < own.layers.length; layer++) {
    const key = `${number}-${it}-${layer}`;
    if (thumbs.has(key)) continue;
    const asked = String(Object.values(live)), all = await mapsOf(number, it, layer);
    if (state.set !== number || state.item !== it || asked !== String(Object.values(live))) return;
    thumbs.set(key, all.map((one) => thumbOf(one, colors)));
    drawOverview();
    await new Promise((next) => setTimeout(next, 0)); // the pointer comes first
  }
  document.body.dataset.ready = "all";
}

async function begin() {
  const prefersLight = matchMedia("(prefers-color-scheme: light)").matches;
  document.title = `${visible(page.title)} · attention`;
  get("title").textContent = visible(page.title);
  const notes = [page.doubt, page.note, page["left out"]].filter(Boolean).map(visible);
  get("note").textContent = notes.join(". ");
  get("note").hidden = notes.length === 0;
  get("foot").textContent = `${page.made}${page.device ? " · computed on " + visible(page.device) : ""} · ` +
    (page.levels === FINEST ? "weights are kept in 8 bits, to two digits" : `weights are kept in ${page.levels + 1} levels`);
  if (page.picture) {
    picture = new Image();
    picture.src = page.picture.src;
    await picture.decode();
  }
  const scale = page.start.scale || "root";
  colors.scale = scale.startsWith("per map") ? "map" : scale.includes("root") ? "root" : "linear";
  setTheme(page.theme === "light" || prefersLight ? "light" : "dark");
  if (/^(mean|max|min)$/.test(page.start.reduce || "") || (page.start.reduce === "rollout" && hasRollout())) state.reduce = page.start.reduce;
  if (page.start["first tokens"] === "masked") state.first = firstCount();
  await open(0, { ...page.start, view: page.view });
  document.body.dataset.ready = document.body.dataset.ready || "shown";
  if (isGenerated() && !matchMedia("(prefers-reduced-motion: reduce)").matches) { state.row = -1; play(); }
}

// The frame's owner learns how high the page is.
if (framed) {
  document.body.classList.add("framed");
  new ResizeObserver(() => window.parent.postMessage({ saccadeHeight: Math.ceil(document.documentElement.getBoundingClientRect().height) }, "*"))
    .observe(document.documentElement);
}

begin().catch((error) => {
  get("note").hidden = false;
  get("note").textContent = `This page cannot be shown: ${error.message}. A browser of 2023 or later is needed.`;
  throw error;
});
