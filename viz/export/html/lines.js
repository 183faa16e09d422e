// ---- lines.js: queries on the left, keys on the right, and a line from each to each, as strong as its weight. Several heads can
// be drawn over each other, each in its own colour.

const LINE_HEIGHT = 24, MOST_LINES = 6000;
const HEAD_COLORS = ["#f0a33a", "#4aa3ff", "#3fc380", "#ff6b81", "#b07cff", "#2ec4c6", "#d98cd9", "#a8b92e", "#ff8c42", "#7d9bff", "#63c132", "#e0607e"];
function headColor(head) { return HEAD_COLORS[head % HEAD_COLORS.length]; }

function layLines(map, width) {
  const side = Math.min(180, width * 0.3);
  return { side, width, left: side, right: width - side, height: Math.max(map.rows, map.columns) * LINE_HEIGHT + 34 };
}
function lineY(index) { return 34 + (index + 0.5) * LINE_HEIGHT; }

// The query or the key at a point: { side, index }; null: none.
function lineAt(layout, map, x, y) {
  const index = Math.floor((y - 34) / LINE_HEIGHT), isRow = x < layout.width / 2;
  return index >= 0 && index < (isRow ? map.rows : map.columns) ? { side: isRow ? "rows" : "columns", index } : null;
}

// `heads` is a list of { map, color }.
function drawLines(pen, layout, heads, set, item, state, colors) {
  const { map } = heads[0], drawn = [];
  for (const { map: own, color } of heads) {
    const least = 1.0 / own.columns / 2; // half of an even share: weaker ones are not drawn
    for (let r = 0; r < own.rows; r++)
      for (let c = 0; c < own.columns; c++) {
        const weight = own.at(r, c), isCurrent = state.focus === null ? true : state.focus.side === "rows" ? r === state.focus.index : c === state.focus.index;
        if (weight > least && isCurrent) drawn.push({ r, c, weight, color });
      }
  }
  drawn.sort((a, b) => a.weight - b.weight);
  const middle = (layout.left + layout.right) / 2;
  for (const { r, c, weight, color } of drawn.slice(-MOST_LINES)) {
    const alpha = Math.min(1, Math.sqrt(weight)) * (state.focus === null && r !== state.row ? 0.35 : 0.95);
    pen.path(`M${round(layout.left)} ${round(lineY(r))}C${round(middle)} ${round(lineY(r))} ${round(middle)} ${round(lineY(c))} ${round(layout.right)} ${round(lineY(c))}`,
      { stroke: color, thick: 1 + 3 * Math.min(1, weight), alpha: round(alpha) });
  }
  pen.text(layout.left - 8, 14, set.turned ? "key" : "query", { size: 12, fill: colors.text2, align: "right" });
  pen.text(layout.right + 8, 14, set.turned ? "query" : "key", { size: 12, fill: colors.text2 });
  const shaded = state.focus && state.focus.side === "columns" ? null : map.row(state.focus ? state.focus.index : state.row);
  for (let r = 0; r < map.rows; r++)
    pen.text(layout.left - 8, lineY(r), fitText(labelOf(set, item, "rows", r), 14, layout.side - 12),
      { size: 14, align: "right", bold: r === state.row, fill: r === state.row ? colors.accent : colors.text });
  for (let c = 0; c < map.columns; c++)
    pen.text(layout.right + 8, lineY(c), fitText(labelOf(set, item, "columns", c), 14, layout.side - 12),
      { size: 14, fill: shaded && shaded[c] < 1 / map.columns ? colors.text2 : colors.text });
}
