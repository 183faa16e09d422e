// ---- graph.js: a lesson's arrays, computed from its recipe (src/lessons/engine/recipe.h). Each operation is written as in
// cl/lesson.cl: sums in double precision, results rounded to float32.

// All dimensions but the last two are the batch; an array of one dimension is one row.
function extentOf(shape) {
  const columns = shape.at(-1), rows = shape.length > 1 ? shape.at(-2) : 1;
  return { batch: shape.slice(0, -2).reduce((n, size) => n * size, 1), rows, columns };
}

// The cell (batch, row, column) of an array; along an axis of size 1 it has one number for all.
function reader(array) {
  if (!array) return () => 0;
  const { numbers, batch, rows, columns } = array;
  const b = batch > 1 ? rows * columns : 0, r = rows > 1 ? columns : 0, c = columns > 1 ? 1 : 0;
  const read = (at, row, column) => numbers[at * b + row * r + column * c];
  read.numbers = numbers;
  read.cell = (at, row, column) => at * b + row * r + column * c;
  return read;
}

const sumOver = (count, term) => {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += term(k);
  return sum;
};

// Of a cell computed of those at its own place, of sums over the depth, and of a row.
const cellwise = (of) => ({ a, b, c, f, g }) => (n, row, column) => of(a(n, row, column), b(n, row, column), c(n, row, column), f, g);
const summed = (term, end = (sum) => sum) => (x) => (n, row, column) => end(sumOver(x.depth, (k) => term(x, n, row, column, k)), x);
const rowsOf = ({ a, depth }, n, row) => Array.from({ length: depth }, (_, k) => a(n, row, k));

// Σ_k of a row of a and a column of b, or a row.
const product = (ofRows) => ({ a, b, depth }) => (n, row, column) => {
  const p = a.cell(0, 0, 1), q = ofRows ? b.cell(0, 0, 1) : b.cell(0, 1, 0), x = a.numbers, y = b.numbers;
  let i = a.cell(n, row, 0), j = ofRows ? b.cell(n, column, 0) : b.cell(n, 0, column), sum = 0;
  for (let k = 0; k < depth; k++, i += p, j += q) sum += x[i] * y[j];
  return sum;
};

// exp of each number less the largest, over their sum; where all are −∞ 0, or NaN where f asks for it.
function sharesOf(numbers, f) {
  const largest = numbers.reduce((most, v) => Math.max(most, v), -Infinity);
  if (largest === -Infinity) return numbers.map(() => (f ? NaN : 0));
  const exps = numbers.map((v) => Math.exp(Math.fround(v - largest))), sum = sumOver(exps.length, (k) => exps[k]);
  return exps.map((exp) => exp / sum);
}

// What `of` makes of a place is kept for those that ask for it again.
function remembered(of) {
  const known = new Map();
  return (place) => {
    if (!known.has(place)) known.set(place, of(place));
    return known.get(place);
  };
}

// τ, where Σ max(0, v − τ)^f = 1: each number is tried as the smallest one above it.
function threshold(numbers, f) {
  let most = 0, tau = Infinity;
  for (const least of numbers) {
    const taken = numbers.filter((v) => v >= least), count = taken.length;
    const sum = sumOver(count, (k) => taken[k]), mean = sum / count;
    const apart = sumOver(count, (k) => (taken[k] - mean) ** 2);
    const tried = f === 2 ? mean - Math.sqrt((1 - apart) / count) : (sum - 1) / count;
    if (Math.fround(tried) < least && count > most) [tau, most] = [tried, count];
  }
  return tau;
}

const MATMUL = 1, MATMUL_T = 2, AFFINE = 6, SOFTMAX = 10, SOFTMAX_0 = 11, GATHER = 12, SORTED = 27;
// In the order of sac_operation (src/lessons/engine/graph.h). Each takes readers of its inputs a, b, c, its factors f and g, the
// depth of its sums and its own shape, and gives a function of (batch, row, column).
const operations = [
  /* given */      null,
  /* matmul */     product(false),
  /* matmul_t */   product(true),
  /* add */        cellwise((a, b, c, f) => a + f * b),
  /* multiply */   cellwise((a, b) => a * b),
  /* divide */     cellwise((a, b) => a / b),
  /* affine */     cellwise((a, b, c, f, g) => f * a + g),
  /* mask */       cellwise((a, b) => (b !== 0 ? -Infinity : a)),
  /* or */         cellwise((a, b) => (a !== 0 || b !== 0 ? 1 : 0)),
  /* equals */     cellwise((a, b, c, f) => (a === f ? 1 : 0)),
  /* softmax */    (x) => {
    const shares = remembered((place) => sharesOf(rowsOf(x, Math.floor(place / x.own.rows), place % x.own.rows), x.f));
    return (n, row, column) => shares(n * x.own.rows + row)[column];
  },
  /* softmax_0 */  ({ a, depth, f, own }) => {
    const column = (place) => Array.from({ length: depth }, (_, k) => a(Math.floor(place / own.columns), k, place % own.columns));
    const shares = remembered((place) => sharesOf(column(place), f));
    return (n, row, at) => shares(n * own.columns + at)[row];
  },
  /* gather */     ({ cells, from }) => (n, row, column, cell) => cells[from(cell)],
  /* additive */   summed(({ a, b, c }, n, row, column, k) => c(n, 0, k) * Math.tanh(a(n, row, k) + b(n, column, k))),
  /* gaussian */   summed(({ a, b, f }, n, row, column, k) => ((a(n, row, k) - b(n, column, k)) * f) ** 2, (sum) => -0.5 * sum),
  /* standardise */ cellwise((a, b, c, f) => (a - b) / Math.sqrt(c + f)),
  /* sum */        summed(({ a }, n, row, column, k) => a(n, row, k)),
  /* mean */       summed(({ a }, n, row, column, k) => a(n, row, k), (sum, { depth }) => sum / depth),
  /* largest */    (x) => (n, row) => Math.max(...rowsOf(x, n, row)),
  /* variance */   summed(({ a, b }, n, row, column, k) => (a(n, row, k) - b(n, row, 0)) ** 2, (sum, { depth }) => sum / depth),
  /* length */     summed(({ a }, n, row, column, k) => a(n, row, k) ** 2, Math.sqrt),
  /* entropy */    summed(({ a }, n, row, column, k) => (a(n, row, k) > 0 ? -a(n, row, k) * Math.log2(a(n, row, k)) : 0)),
  /* relu */       cellwise((a) => Math.max(0, a)),
  /* tanh */       cellwise(Math.tanh),
  /* exp */        cellwise(Math.exp),
  /* power of 2 */ cellwise((a) => 2 ** a),
  /* position */   ({ own }) => (n, row, column) => {
    const angle = row / 10000 ** ((column - column % 2) / own.columns);
    return column % 2 ? Math.cos(angle) : Math.sin(angle);
  },
  /* sorted */     ({ cells, from }) => (n, row, column, cell) => cells[from(cell)],
  /* running sum */ ({ a }) => (n, row, column) => sumOver(column + 1, (k) => a(n, row, k)),
  /* threshold */  (x) => (n, row) => threshold(rowsOf(x, n, row), x.f),
  /* above */      cellwise((a, b, c, f) => (f === 0 ? Number(a > b) : Math.max(0, a - b) ** f)),
  /* slopes */     summed(({ a, b }, n, row, column, k) => a(n, row, k) * (Number(row === column) - b(n, k, column))),
];

// Where the cell `i` of a gather comes from.
function sourceOf(record) {
  if (record.index) return (i) => record.index[i];
  const { shape, way } = record;
  return (i) => {
    let from = way[0];
    for (let d = shape.length; d-- > 0; i = Math.floor(i / shape[d])) from += way[d + 1] * (i % shape[d]);
    return from;
  };
}

// The cells of an array's rows in falling order; of equal ones the first comes first.
function orderOf({ numbers, columns }) {
  const cells = Array.from(numbers, (_, i) => i), row = (i) => Math.floor(i / columns);
  return cells.sort((i, k) => row(i) - row(k) || numbers[k] - numbers[i] || i - k);
}

function compute(record, inputs) {
  const array = { ...record, ...extentOf(record.shape), record, inputs };
  array.numbers = numbersOf(array, record, inputs);
  array.noise = noiseOf(array);
  return array;
}

function numbersOf(array, record, inputs) {
  const count = record.shape.reduce((n, size) => n * size, 1);
  if (record.base64) return new Float32Array(Uint8Array.from(atob(record.base64), (c) => c.charCodeAt(0)).buffer);
  if (record.numbers) return Float32Array.from(record.numbers, (v) => (v === null ? NaN : v));
  const [a, b, c] = inputs, numbers = new Float32Array(count);
  if (record.op === GATHER) array.from = sourceOf(record);
  if (record.op === SORTED) {
    const order = orderOf(a);
    array.from = (i) => order[i];
  }
  const of = operations[record.op]({
    a: reader(a), b: reader(b), c: reader(c), f: Math.fround(record.f || 0), g: Math.fround(record.g || 0), own: array,
    depth: a ? (record.op === SOFTMAX_0 ? a.rows : a.columns) : 0, cells: a && a.numbers, from: array.from,
  });
  for (let i = 0; i < count; i++) {
    const column = i % array.columns, row = Math.floor(i / array.columns) % array.rows;
    numbers[i] = of(Math.floor(i / array.columns / array.rows), row, column, i);
  }
  return numbers;
}

// ---------------------------------------------------------------- a recipe at the stops of its sliders

// The record of a table there; null: there is none.
function recordAt(lesson, table, stops) {
  let place = 0;
  for (const p of table.by) place = place * lesson.parameters[p].stops.length + stops[p];
  const record = table.of[place];
  return record < 0 ? null : lesson.records[record];
}

// All that the lesson has there: its arrays, whose number n is arrays[n], steps and drawings; or what is wrong. An array of
// `before`, what was built before, stays where its record and its inputs do.
function build(lesson, stops, before = { arrays: [] }) {
  const problem = recordAt(lesson, lesson.problems, stops);
  const records = lesson.arrays.map((table) => recordAt(lesson, table, stops)).filter(Boolean);
  const list = (tables) => tables.map((table) => recordAt(lesson, table, stops)).filter(Boolean);
  const arrays = [null];
  for (const record of records) {
    const inputs = record.in.map((n) => arrays[n]), old = before.arrays[arrays.length];
    const stays = old && old.record === record && inputs.every((input, i) => input === old.inputs[i]);
    arrays.push(stays ? old : compute(record, inputs));
  }
  return { problem, arrays, steps: list(lesson.steps), drawings: list(lesson.drawings) };
}

// What rounding leaves where terms cancel: numbers below it would be 0 (src/lessons/engine/compute.c).
function noiseOf({ op, inputs, f = 0, g = 0 }) {
  const [a, b, c] = inputs, most = (array) => (array ? largestMagnitude(array.numbers) : 0), ofTerms = 1e-6;
  const own = a ? a.noise : 0, other = b ? b.noise : 0;
  switch (op) {
    case 15: case 21: case 26: return ofTerms;                                          // standardise, entropy, position
    case MATMUL: case MATMUL_T: return ofTerms * most(a) * most(b);
    case 3: return ofTerms * Math.max(most(a), Math.abs(f) * most(b));                  // add
    case AFFINE: return g ? ofTerms * Math.max(Math.abs(f) * most(a), Math.abs(g)) : Math.abs(f) * own; // affine
    case 16: case 17: case 28: case 29: case 31: return ofTerms * most(a);              // sum, mean, running sum, threshold, slopes
    case 30: return f > 0 ? (ofTerms * Math.max(most(a), most(b))) ** f : 0;            // above
    case 13: return ofTerms * most(c);                                                  // additive
    case 19: return ofTerms * most(a) ** 2;                                             // variance
    case 4: return Math.max(own * most(b), other * most(a));                            // multiply
    case GATHER: case SORTED: case 7: case 22: case 23: case 18: return own;            // mask, relu, tanh, largest
    default: return 0;
  }
}

function largestMagnitude(numbers) {
  let most = 0;
  for (const v of numbers) if (Number.isFinite(v)) most = Math.max(most, Math.abs(v));
  return most;
}
