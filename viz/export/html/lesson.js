// ---- lesson.js: the steps of a lesson, its sliders, its quiz, and how they answer.

const data = JSON.parse(document.getElementById("data").textContent);
const get = (id) => document.getElementById(id);
const word = (english) => data.words[english] || english;
const QUESTIONS = 5; // of a quiz

const state = {
  lesson: data.lessons[0],
  stops: [],    // where each slider is
  built: null,  // what the lesson has there
  step: 0,      // behind the last one is the quiz
  cell: null,   // [array, cell] that is pointed at
  forward: false, // the step was entered from the one before
  quiz: null,   // { from, at, chosen, right }
};
const asksQuiz = () => state.step === state.built.steps.length;
const shownStep = () => (asksQuiz() ? state.lesson.questions[state.quiz.from + state.quiz.at].step : state.step);

// ---------------------------------------------------------------- what is chosen

function chooseLesson(lesson) {
  state.lesson = lesson;
  get("lessons").value = data.lessons.indexOf(lesson);
  state.stops = lesson.parameters.map((parameter) => parameter.at);
  state.built = null;
  state.quiz = null;
  state.step = 0;
  state.cell = null;
  rebuild();
  showControls();
  show();
}

// False: nothing is built there, and all is as it was.
function rebuild() {
  const built = build(state.lesson, state.stops, state.built || undefined);
  get("readout").textContent = built.problem || "";
  if (built.problem) return false;
  const quiz = state.built && asksQuiz();
  state.built = built;
  state.step = quiz ? built.steps.length : Math.min(state.step, built.steps.length - 1);
  return true;
}

function setStop(parameter, stop) {
  const before = [...state.stops];
  state.stops[parameter] = Math.max(0, Math.min(stop, state.lesson.parameters[parameter].stops.length - 1));
  state.forward = false;
  if (rebuild()) show();
  else state.stops = before;
  updateControls();
}

// The stop that is nearest to a value.
function setValue(parameter, value) {
  const { stops } = state.lesson.parameters[parameter], away = (i) => Math.abs(stops[i] - value);
  setStop(parameter, stops.reduce((best, _, i) => (away(i) < away(best) ? i : best), 0));
}

function goTo(step) {
  const last = state.built.steps.length - (state.lesson.questions.length ? 0 : 1), to = Math.max(0, Math.min(step, last));
  if (to === state.step) return;
  state.forward = to === state.step + 1;
  state.step = to;
  state.cell = null;
  if (asksQuiz()) beginQuiz(0);
  show();
}

// ---------------------------------------------------------------- what stands around

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  get("theme").setAttribute("aria-pressed", String(name === "light"));
}
const tables = () => data.colors[document.documentElement.dataset.theme === "light" ? "light" : "dark"];

const valueText = (value) => String(Number(value.toPrecision(6))).replace("-", "−");

// The newest of what is asked for between two frames.
function onFrame(act) {
  if (!onFrame.next) requestAnimationFrame(() => {
    const next = onFrame.next;
    onFrame.next = null;
    next();
  });
  onFrame.next = act;
}

// A switch has two stops, 0 and 1.
function showControls() {
  const { parameters } = state.lesson, made = parameters.map((parameter, i) => {
    if (parameter.stops.length < 2) return null;
    if (parameter.switches) {
      const button = element("button", { class: "switch", "data-parameter": i, "aria-pressed": "false" }, parameter.label);
      button.addEventListener("click", () => setStop(i, 1 - state.stops[i]));
      return button;
    }
    const input = element("input", { type: "range", min: 0, max: parameter.stops.length - 1, step: 1, "data-parameter": i, "aria-label": parameter.label });
    input.addEventListener("input", () => onFrame(() => setStop(i, Number(input.value))));
    return element("label", {}, element("span", {}, parameter.label), input, element("output", {}));
  });
  const reset = element("button", { id: "reset" }, word("reset"));
  reset.addEventListener("click", () => {
    state.stops = parameters.map((parameter) => parameter.at);
    rebuild();
    updateControls();
    show();
  });
  const any = made.some(Boolean);
  get("controls").replaceChildren(...(any ? [...made.filter(Boolean), reset] : []));
  get("controls").setAttribute("aria-label", word("settings"));
  updateControls();
}

function updateControls() {
  for (const control of get("controls").querySelectorAll("[data-parameter]")) {
    const i = Number(control.dataset.parameter), value = state.lesson.parameters[i].stops[state.stops[i]];
    if (control.tagName === "BUTTON") control.setAttribute("aria-pressed", String(value === 1));
    else {
      control.value = state.stops[i];
      control.setAttribute("aria-valuetext", valueText(value));
      control.nextSibling.textContent = valueText(value);
    }
  }
  const changed = state.lesson.parameters.some((parameter, i) => parameter.at !== state.stops[i]);
  if (get("reset")) get("reset").disabled = !changed;
}

function showSteps() {
  const names = state.built.steps.map((step, i) => `${i + 1}  ${step.name}`).concat(state.lesson.questions.length ? [word("Quiz")] : []);
  get("steps").replaceChildren(...names.map((name, i) => {
    const button = element("button", { "aria-current": i === state.step ? "step" : false }, name);
    button.addEventListener("click", () => goTo(i));
    return button;
  }));
  get("steps").setAttribute("aria-label", word("steps"));
}

function showFoot() {
  const button = (text, act, there) => {
    const made = element("button", {}, text);
    made.disabled = !there;
    made.addEventListener("click", act);
    return made;
  };
  const last = state.built.steps.length - (state.lesson.questions.length ? 0 : 1), next = data.lessons[data.lessons.indexOf(state.lesson) + 1];
  get("ways").replaceChildren(button(word("‹  Step before"), () => goTo(state.step - 1), state.step > 0),
    state.step < last || !next ? button(word("Next step  ›"), () => goTo(state.step + 1), state.step < last)
                               : button(word("Next: %s  ›").replace("%s", next.title), () => chooseLesson(next), true));
  get("foot").replaceChildren(
    element("p", {}, word("Arrow keys go from step to step, or from number to number where one has the focus.")), element("p", {}, data.made));
}

// ---------------------------------------------------------------- a step

function drawingOfStep(index) {
  const array = (state.cell && state.built.arrays[state.cell[0]]) || { columns: 1, rows: 1 }, at = state.cell ? state.cell[1] : 0;
  return drawingOf(state.built, index, { tables: tables(), word, handles: addHandles, goTo,
    stepAbout: (bit) => state.built.steps.findIndex((step) => (step.block & bit) !== 0),
    row: Math.floor(at / array.columns) % array.rows, column: at % array.columns });
}

// While a question is asked there is no drawing, which would show what is hidden.
function stepParts(index, hides = () => false, asking = false) {
  const step = state.built.steps[index], { arrays } = state.built;
  const figures = step.arrays.map((number, i) => {
    const figure = matrixOf(arrays[number], number, arrays, tables(), word, (cell) => hides(number, cell));
    figure.classList.toggle("result", i === step.arrays.length - 1 && i > 0);
    return figure;
  });
  const part = data.start.part, numbers = element("div", {}, element("div", { class: "arrays" }, figures),
    element("p", { class: "notice" }, step.notice || ""));
  const drawing = part === "numbers" || asking ? null : drawingOfStep(index);
  const code = step.code ? element("details", { class: "code", open: data.start.code ? "" : false },
    element("summary", {}, word("the same in PyTorch")), element("pre", {}, step.code)) : null;
  return [
    element("h2", {}, `${index + 1}  ${step.name}`, step.formula ? element("span", { class: "formula" }, step.formula) : null),
    element("p", { class: "sentence" }, step.sentence || ""),
    drawing && drawing.classList.contains("diagram") ? drawing : null, // above all else
    element("div", { class: "page" }, part === "drawing" && drawing ? null : numbers,
      drawing && drawing.classList.contains("diagram") ? null : drawing),
    part === "drawing" && drawing ? element("p", { class: "notice" }, step.notice || "") : null, code,
  ];
}

function show() {
  get("title").textContent = state.lesson.title;
  get("about").textContent = state.lesson.summary;
  document.title = state.lesson.title;
  showSteps();
  showFoot();
  const main = get("main");
  main.replaceChildren(...(asksQuiz() ? quizParts() : stepParts(state.step)).filter(Boolean));
  main.classList.toggle("enters", state.forward && !asksQuiz());
  get("controls").hidden = get("readout").hidden = asksQuiz(); // which asks about the lesson's own numbers
  showCell();
}

// ---------------------------------------------------------------- a number, and what it is made of

const cellSelector = ([array, cell]) => `[data-array="${array}"][data-cell="${cell}"]`;

// An operand that the step does not show, but what it is a copy or a multiple of.
function shownOperand([number, cell]) {
  const array = state.built.arrays[number], shown = state.built.steps[shownStep()].arrays.includes(number);
  if (shown || !array.in[0] || !(array.from || array.op === AFFINE)) return [number, cell];
  return shownOperand([array.in[0], array.from ? array.from(cell) : cell]);
}

function showCell() {
  const main = get("main");
  main.querySelectorAll(".pointed, .operand").forEach((cell) => cell.classList.remove("pointed", "operand"));
  if (asksQuiz()) {
    get("readout").textContent = "";
    return;
  }
  const array = state.cell && state.built.arrays[state.cell[0]];
  if (!array || state.cell[1] >= array.numbers.length) {
    get("readout").textContent = word("Point at a number: what it is made of is marked, and its arithmetic stands here.");
    return;
  }
  const { operands, text } = arithmeticOf(array, state.cell[1]);
  main.querySelectorAll(cellSelector(state.cell)).forEach((cell) => cell.classList.add("pointed"));
  for (const operand of operands) main.querySelectorAll(cellSelector(shownOperand(operand))).forEach((cell) => cell.classList.add("operand"));
  get("readout").textContent = text || `${cellName(array, state.cell[1])} = ${numberText(shownNumber(array, state.cell[1]))}  (${word("given")})`;
}

function pointAt(target) {
  const cell = target.closest ? target.closest("[data-cell]") : null;
  if (!cell || asksQuiz()) return;
  state.cell = [Number(cell.dataset.array), Number(cell.dataset.cell)];
  const drawing = get("main").querySelector(".follows"); // it shows the row or the column of the number
  if (drawing && !drawing.contains(cell)) drawing.replaceWith(drawingOfStep(state.step));
  showCell();
}

// From a cell to the one beside, above or below; false: there is none.
function moveFocus(from, key) {
  const row = from.parentNode, column = [...row.children].indexOf(from), rows = [...row.parentNode.children], at = rows.indexOf(row);
  const to = key === "ArrowLeft" ? row.children[column - 1] : key === "ArrowRight" ? row.children[column + 1]
           : (rows[at + (key === "ArrowUp" ? -1 : 1)] || { children: [] }).children[column];
  if (to && to.dataset.cell) to.focus();
}

// ---------------------------------------------------------------- a handle of a plot sets a parameter

function addHandles(figure, plot, handles) {
  const valueOf = (operand) => state.built.arrays[operand[0]].numbers[operand[1]];
  for (const handle of handles) {
    const names = ["setsX", "setsY"].map((key) => state.lesson.parameters.findIndex((parameter) => parameter.name === handle[key]));
    if (names.every((i) => i < 0)) continue;
    const px = handle.x ? plot.placeX(valueOf(handle.x)) : plot.frame.x + plot.frame.w / 2;
    const py = handle.y ? plot.placeY(valueOf(handle.y)) : plot.frame.y + plot.frame.h;
    const circle = element("svg:circle", { cx: px, cy: py, r: 8, class: "handle" }, element("svg:title", {}, handle.does || ""));
    const origin = ["originX", "originY"].map((key) => (handle[key] ? valueOf(handle[key]) : 0)), panel = figure;
    circle.addEventListener("pointerdown", (down) => {
      const box = plot.svg.getBoundingClientRect();
      const move = (event) => {
        const x = ((event.clientX - box.left) / box.width) * plot.width, y = ((event.clientY - box.top) / box.height) * plot.height;
        const at = [along(plot.x, (x - plot.frame.x) / plot.frame.w, plot.ratioX), along(plot.y, 1 - (y - plot.frame.y) / plot.frame.h, plot.ratioY)];
        names.forEach((parameter, i) => {
          if (parameter < 0) return;
          const away = at[i] - origin[i], power = handle[i ? "powerY" : "powerX"] || 1;
          setValue(parameter, power === 1 ? away : Math.abs(away) ** power);
        });
      };
      const up = () => {
        removeEventListener("pointermove", move);
        removeEventListener("pointerup", up);
      };
      addEventListener("pointermove", move);
      addEventListener("pointerup", up);
      down.preventDefault();
    });
    plot.svg.append(circle);
    panel.append(element("p", { class: "hint" }, handle.does || ""));
  }
}
const along = ([low, high], share, ratio) => (ratio ? low * (high / low) ** share : low + (high - low) * share);

// ---------------------------------------------------------------- the quiz: at the lesson's own numbers

const LARGEST = 0, VALUE = 1, COUNT = 2;
function beginQuiz(from) {
  state.stops = state.lesson.parameters.map((parameter) => parameter.at);
  state.quiz = { from, at: 0, chosen: null, right: 0 };
  rebuild();
  updateControls();
}
const quizLength = () => Math.min(QUESTIONS, state.lesson.questions.length - state.quiz.from);

function isRight(question, given) {
  if (question.kind !== VALUE) return given === question.answer;
  return Math.abs(given - question.answer) <= Math.max(0.02 * Math.abs(question.answer), 0.0051);
}

// The right one in words.
function answerText(question) {
  if (question.choices.length) return question.choices[question.answer];
  if (question.kind === LARGEST) return word("column %d").replace("%d", question.answer);
  return numberText(question.answer);
}

function give(answer) {
  const question = state.lesson.questions[state.quiz.from + state.quiz.at];
  if (state.quiz.chosen !== null || Number.isNaN(answer)) return;
  state.quiz.chosen = answer;
  state.quiz.right += isRight(question, answer);
  show();
  const next = get("main").querySelector("#next");
  if (next) next.focus();
}

function quizParts() {
  const { quiz, lesson } = state, question = lesson.questions[quiz.from + quiz.at], answered = quiz.chosen !== null;
  const counts = [quiz.at + 1, quizLength(), quiz.right];
  const progress = element("p", { class: "progress" }, word("question %d of %d  ·  %d right").replace(/%d/g, () => counts.shift()));
  const asked = element("p", { class: "asked", tabindex: -1 }, question.text);
  // Of a choice any number may be seen; else the row that is asked for is hidden.
  const array = state.built.arrays[question.array], first = question.row * array.columns;
  const hides = (number, cell) => !answered && !question.choices.length && number === question.array &&
    (question.kind === VALUE ? cell === first + question.column : cell >= first && cell < first + array.columns);
  const page = stepParts(question.step, hides, !answered && !question.choices.length).find((part) => part && part.className === "page");
  let answers;
  if (question.choices.length) {
    answers = question.choices.map((choice, i) => {
      const button = element("button", { class: answered && i === question.answer ? "right" : answered && i === quiz.chosen ? "wrong" : "" }, choice);
      button.disabled = answered;
      button.addEventListener("click", () => give(i));
      return button;
    });
  } else if (question.kind === LARGEST) {
    answers = Array.from({ length: array.columns }, (_, c) => {
      const button = element("button", { class: answered && c === question.answer ? "right" : answered && c === quiz.chosen ? "wrong" : "" },
        labelOf(array.columnLabels, c));
      button.disabled = answered;
      button.addEventListener("click", () => give(c));
      return button;
    });
  } else {
    const input = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": word("Answer"), value: answered ? quiz.chosen : "" });
    const button = element("button", {}, word("Answer")), read = () => give(input.value.trim() ? Number(input.value.trim().replace("−", "-").replace(",", ".")) : NaN);
    input.disabled = button.disabled = answered;
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") read(); });
    button.addEventListener("click", read);
    answers = [input, button];
  }
  const parts = [progress, asked, element("div", { class: "answers" }, answers)];
  if (answered) {
    const good = isRight(question, quiz.chosen), ends = quiz.at + 1 === quizLength(), more = quiz.from + quizLength() < lesson.questions.length;
    const next = element("button", { id: "next" }, ends ? word("Another quiz") : word("Next question  ›"));
    next.addEventListener("click", () => {
      if (ends) beginQuiz(more ? quiz.from + quizLength() : 0);
      else Object.assign(quiz, { at: quiz.at + 1, chosen: null });
      show();
    });
    parts.push(element("p", { class: good ? "verdict right" : "verdict wrong", role: "status" }, [good ? "✓ " + word("right") : "✗ " + word("not right"), answerText(question), question.why].filter(Boolean).join("  ·  ")), next);
  }
  return [...parts, page];
}

// ---------------------------------------------------------------- what a person does

addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.altKey || event.ctrlKey || event.metaKey || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return;
  if (target.dataset && target.dataset.cell && event.key.startsWith("Arrow")) moveFocus(target, event.key);
  else if (event.key === "ArrowRight" || event.key === "PageDown") goTo(state.step + 1);
  else if (event.key === "ArrowLeft" || event.key === "PageUp") goTo(state.step - 1);
  else return;
  event.preventDefault();
});
get("main").addEventListener("pointerover", (event) => pointAt(event.target));
get("main").addEventListener("focusin", (event) => pointAt(event.target));

// On paper stand all steps.
addEventListener("beforeprint", () => {
  const theme = document.documentElement.dataset.theme;
  setTheme("light");
  get("paper").replaceChildren(...state.built.steps.map((_, i) => element("section", {}, stepParts(i).filter(Boolean))));
  get("paper").dataset.theme = theme;
});
addEventListener("afterprint", () => {
  setTheme(get("paper").dataset.theme);
  get("paper").replaceChildren();
});

const prefersLight = matchMedia("(prefers-color-scheme: light)");
get("theme").title = word("light or dark");
get("theme").setAttribute("aria-label", word("light or dark"));
get("theme").addEventListener("click", () => {
  setTheme(document.documentElement.dataset.theme === "light" ? "dark" : "light");
  show();
});
prefersLight.addEventListener("change", () => {
  setTheme(prefersLight.matches ? "light" : "dark");
  show();
});
document.documentElement.lang = data.language === "zh" ? "zh-CN" : data.language;
document.documentElement.style.setProperty("--pace", { still: 0, slow: 2, fast: 0.5 }[data.start.pace] ?? 1);
setTheme(data.start.theme || (prefersLight.matches ? "light" : "dark"));

const chooser = get("lessons");
chooser.hidden = data.lessons.length < 2;
chooser.setAttribute("aria-label", word("Lessons"));
chooser.append(...data.lessons.map((lesson, i) => element("option", { value: i }, lesson.title)));
chooser.addEventListener("change", () => chooseLesson(data.lessons[chooser.value]));
chooseLesson(data.lessons[0]);
if (data.start.quiz) goTo(state.built.steps.length);
else if (Number(data.start.step) > 1) goTo(Number(data.start.step) - 1);
if (data.start.cell) {
  const [name, ...at] = data.start.cell.split(","), number = state.built.arrays.findIndex((array) => array && array.name === name);
  if (number > 0) {
    const { shape } = state.built.arrays[number];
    state.cell = [number, at.reduce((cell, index, d) => cell * shape[d] + Number(index), 0)];
    showCell();
  }
}
document.body.dataset.ready = "";
