// ---- labels.js: what rows and columns are called. Labels come from files of others: they are only ever set as text, never as HTML,
// and what cannot be seen in them is made visible.

// Control characters, and those that turn the direction of text, by their numbers, so that a label shows what it holds.
function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f]/g, (c) => String.fromCharCode(c === "\u007f" ? 0x2421 : 0x2400 + c.charCodeAt(0)))
    .replace(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) => "⟨U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩");
}

// The place of a position on the grid over the picture; null: it is no cell, or there is no picture.
function cellOf(set, item, position) {
  if (!set.grid) return null;
  const cell = item.cells ? item.cells.indexOf(position) : position;
  return cell < 0 || cell >= set.grid[0] * set.grid[1] ? null : { x: cell % set.grid[0], y: Math.floor(cell / set.grid[0]) };
}

function positionOf(set, item, x, y) {
  const cell = y * set.grid[0] + x;
  return item.cells ? item.cells[cell] : cell;
}

// True where rows are the same places as columns, so that a row is a cell of the picture too.
function looksAtItself(item) { return item.steps === item.positions; }

function labelOf(set, item, side, index) {
  const labels = item[side];
  if (labels && index < labels.length) return visible(labels[index]);
  const cell = side === "columns" || looksAtItself(item) ? cellOf(set, item, index) : null;
  return cell ? `(${cell.x}, ${cell.y})` : String(index);
}

// The label in quotes where it is a word, for a sentence.
function nameOf(set, item, side, index) {
  const labels = item[side], text = labelOf(set, item, side, index);
  return labels && index < labels.length ? `“${text}”` : text.startsWith("(") ? `cell ${text}` : text;
}
