// ---- pen.js: two pens with the same strokes. What is drawn on the screen by one is saved as SVG by the other.

class CanvasPen {
  constructor(context) { this.context = context; }

  rect(x, y, width, height, { fill, stroke, thick = 1, alpha = 1, round = 0 }) {
    const c = this.context;
    c.globalAlpha = alpha;
    c.beginPath();
    if (round) c.roundRect(x, y, width, height, round); else c.rect(x, y, width, height);
    if (fill) { c.fillStyle = fill; c.fill(); }
    if (stroke) { c.strokeStyle = stroke; c.lineWidth = thick; c.stroke(); }
    c.globalAlpha = 1;
  }

  // `path` is the text of an SVG path.
  path(path, { fill, stroke, thick = 1, alpha = 1 }) {
    const c = this.context, shape = new Path2D(path);
    c.globalAlpha = alpha;
    if (fill) { c.fillStyle = fill; c.fill(shape); }
    if (stroke) { c.strokeStyle = stroke; c.lineWidth = thick; c.lineJoin = "round"; c.stroke(shape); }
    c.globalAlpha = 1;
  }

  // `upward`: turned by 90 degrees, from bottom to top. y is the middle of the letters.
  text(x, y, text, { size = 12, fill, align = "left", bold = false, upward = false }) {
    const c = this.context;
    c.save();
    c.translate(x, y);
    if (upward) c.rotate(-Math.PI / 2);
    c.font = fontOf(size, bold);
    c.fillStyle = fill;
    c.textAlign = align;
    c.textBaseline = "middle";
    c.fillText(text, 0, 0);
    c.restore();
  }

  // `sharp`: pixels that are drawn larger keep their edges.
  image(picture, x, y, width, height, { sharp = false } = {}) {
    const c = this.context;
    c.imageSmoothingEnabled = !sharp;
    c.imageSmoothingQuality = "high";
    c.drawImage(picture, x, y, width, height);
  }

  // What `draw` draws is seen inside the rectangle alone.
  clip(x, y, width, height, draw) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }
}

class SvgPen {
  constructor() { this.parts = []; this.clips = 0; }

  rect(x, y, width, height, { fill = "none", stroke, thick = 1, alpha = 1, round = 0 }) {
    this.add("rect", { x, y, width, height, fill, ...this.lined(stroke, thick), ...(round && { rx: round }), ...(alpha < 1 && { opacity: alpha }) });
  }

  path(path, { fill = "none", stroke, thick = 1, alpha = 1 }) {
    this.add("path", { d: path, fill, ...this.lined(stroke, thick), "stroke-linejoin": "round", ...(alpha < 1 && { opacity: alpha }) });
  }

  text(x, y, text, { size = 12, fill, align = "left", bold = false, upward = false }) {
    const anchor = { left: "start", right: "end", center: "middle" }[align];
    this.add("text", {
      x, y, fill, "text-anchor": anchor, "dominant-baseline": "central", "font-size": size, "font-family": FONTS,
      ...(bold && { "font-weight": 600 }), ...(upward && { transform: `rotate(-90 ${round(x)} ${round(y)})` }),
    }, xmlText(text));
  }

  image(picture, x, y, width, height, { sharp = false } = {}) {
    const href = picture.toDataURL ? picture.toDataURL() : picture.src;
    this.add("image", { x, y, width, height, href, preserveAspectRatio: "none", ...(sharp && { style: "image-rendering:pixelated" }) });
  }

  clip(x, y, width, height, draw) {
    const id = "c" + this.clips++;
    this.parts.push(`<clipPath id="${id}"><rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.parts.push("</g>");
  }

  lined(stroke, thick) { return stroke ? { stroke, "stroke-width": thick } : {}; }

  add(name, attributes, inside = "") {
    const list = Object.entries(attributes).map(([key, value]) => `${key}="${typeof value === "number" ? round(value) : xmlText(value)}"`);
    this.parts.push(`<${name} ${list.join(" ")}${inside ? `>${inside}</${name}>` : "/>"}`);
  }

  file(width, height) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}" ` +
      `viewBox="0 0 ${round(width)} ${round(height)}">\n${this.parts.join("\n")}\n</svg>\n`;
  }
}

const FONTS = "Inter, system-ui, 'DejaVu Sans', sans-serif";
function fontOf(size, bold) { return `${bold ? 600 : 400} ${size}px ${FONTS}`; }
function round(number) { return Math.round(number * 100) / 100; }

// XML knows no control characters, and no halves of a pair.
function xmlText(text) {
  return String(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

const measuring = document.createElement("canvas").getContext("2d");
function textWidth(text, size) {
  measuring.font = fontOf(size, false);
  return measuring.measureText(text).width;
}

// The text, cut with an ellipsis where it is wider than `width`.
function fitText(text, size, width) {
  if (textWidth(text, size) <= width) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && textWidth(letters.join("") + "…", size) > width) letters.pop();
  return letters.join("") + "…";
}
