// A lecture: a stop is a page of its own in a frame, or a picture. What is shown once stays as a reader left it.
const lecture = JSON.parse(document.getElementById("data").textContent);
const get = (id) => document.getElementById(id);
const shown = lecture.stops.map(() => null);
let at = -1;

// The arrows are the lecture's, as those of a clicker are; with shift they are the page's in the frame.
function walk(event) {
  const steps = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
  const step = steps[event.key], target = event.target;
  const isArrow = event.key.startsWith("Arrow"), isField = ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
  if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || (isArrow && isField)) return;
  event.preventDefault();
  event.stopPropagation();
  show(at + step);
}

function makeStop(stop) {
  if (stop.page) {
    const frame = document.createElement("iframe");
    frame.title = stop.title;
    frame.addEventListener("load", () => {
      frame.contentWindow.addEventListener("keydown", walk, true);
      if (!frame.hidden) frame.contentWindow.focus();
    });
    frame.srcdoc = stop.page;
    return frame;
  }
  const part = document.createElement(stop.picture ? "img" : "p");
  if (stop.picture) Object.assign(part, { src: stop.picture, alt: stop.title });
  else Object.assign(part, { className: "absent", textContent: stop.absent });
  return part;
}

function show(index) {
  const to = Math.max(0, Math.min(lecture.stops.length - 1, index));
  if (to === at) return;
  at = to;
  if (!shown[at]) {
    shown[at] = makeStop(lecture.stops[at]);
    get("main").append(shown[at]);
  }
  shown.forEach((part, i) => { if (part) part.hidden = i !== at; });
  get("note").textContent = lecture.stops[at].note;
  get("stops").value = String(at);
  get("back").disabled = at === 0;
  get("next").disabled = at === lecture.stops.length - 1;
  if (shown[at].contentWindow) shown[at].contentWindow.focus();
  else get("main").focus();
  try { history.replaceState(null, "", "#" + (at + 1)); } catch (error) { /* some browsers forbid it in a file */ }
}

document.documentElement.dataset.theme = lecture.theme;
document.documentElement.lang = lecture.language;
document.title = lecture.title;
get("title").textContent = lecture.title;
lecture.stops.forEach((stop, i) => get("stops").append(new Option(`${i + 1} / ${lecture.stops.length}  ${stop.title}`, String(i))));
get("stops").setAttribute("aria-label", lecture.words.stop);
get("back").title = `${lecture.words.back} (←)`;
get("next").title = `${lecture.words.next} (→)`;
get("stops").addEventListener("change", () => show(Number(get("stops").value)));
get("back").addEventListener("click", () => show(at - 1));
get("next").addEventListener("click", () => show(at + 1));
addEventListener("keydown", walk);
show((Number(location.hash.slice(1)) || 1) - 1);
