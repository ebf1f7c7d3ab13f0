// sweep.js - one model for many values of one or two parameters: a family of curves, and a curve or heat map of what became
// of each member. The members are those of lieder sweep, lanes of one system where that is possible, filled in as they come; a
// file that lieder sweep wrote brings them along. A click on a member makes it the run of the page.
import { app, emit, on } from "./store.js";
import { element } from "./dom.js";
import { extremes, trace } from "./curve.js";
import { viridis } from "./colours.js";
import { niceStep, numberText, plainNumber, readNumber, unitText } from "./format.js";

const MOST = 2500; // members
const MEASURES = {
  final: ["final value", (y) => y[y.length - 1]],
  max: ["maximum", (y) => extremes(y, 0, y.length)[1]],
  min: ["minimum", (y) => extremes(y, 0, y.length)[0]],
  range: ["maximum − minimum", (y) => extremes(y, 0, y.length)[1] - extremes(y, 0, y.length)[0]],
};

/** the values of an axis as lieder sweep reads them */
const grid = ({ from, to, n, log }) => (n === 1 ? plainNumber(from) : `${plainNumber(from)}:${plainNumber(to)}:${log ? "log:" : ""}${n}`);

class Axis {
  constructor(title, optional, changed) {
    this.name = element("select", { "aria-label": title, onchange: () => this.suggest() });
    const field = (label, value) => element("input.number", { type: "text", inputmode: "decimal", "aria-label": `${title}: ${label}`, value });
    this.from = field("from", "");
    this.to = field("to", "");
    this.n = field("number of values", optional ? "9" : "15");
    this.optional = optional;
    this.rest = element("span.axis-rest", {}, " from ", this.from, " to ", this.to, " in ", this.n);
    this.root = element("label.sweep-axis", {}, `${title} `, this.name, this.rest);
    this.changed = changed;
  }

  fill(parameters) {
    const before = this.name.value;
    this.name.replaceChildren(...(this.optional ? [element("option", { value: "" }, "none")] : []), ...parameters.map((v) => element("option", { value: v.name }, v.name)));
    if (parameters.some((v) => v.name === before)) this.name.value = before;
    this.suggest();
  }

  /** around the value that the model has */
  suggest() {
    this.rest.hidden = !this.name.value;
    const value = app.run?.value(app.model?.byName.get(this.name.value), app.run.first);
    if (!this.name.value || value === undefined) return;
    const [from, to] = value === 0 ? [-1, 1] : value > 0 ? [value / 2, value * 2] : [value * 2, value / 2];
    this.from.value = numberText(Number(from.toPrecision(3)));
    this.to.value = numberText(Number(to.toPrecision(3)));
  }

  /** null: none; an Error: what is wrong */
  read() {
    if (!this.name.value) return null;
    const [from, to, n] = [this.from, this.to, this.n].map((input) => readNumber(input.value));
    if (![from, to].every(Number.isFinite)) return new Error(`${this.name.value}: from and to are numbers`);
    if (!(n >= 1 && n <= 500 && Number.isInteger(n))) return new Error(`${this.name.value}: 1 to 500 values`);
    return { name: this.name.value, from, to, n, log: from > 0 && to / from >= 20 };
  }
}

export class Sweep {
  constructor(root, page) {
    this.root = root;
    this.page = page;
    this.members = [];
    this.axes = [];
    this.first = new Axis("Vary", false);
    this.second = new Axis("and", true);
    this.variable = element("select", { "aria-label": "Variable of the sweep", onchange: () => this.changeVariable() });
    this.measure = element("select", { "aria-label": "What is shown of each member", onchange: () => this.draw() });
    for (const [key, [text]] of Object.entries(MEASURES)) this.measure.append(element("option", { value: key }, text));
    this.go = element("button.labelled", { type: "button", onclick: () => (this.running ? this.stop() : this.run()) }, "Run the sweep");
    this.progress = element("span.muted", { role: "status" });
    this.family = element("canvas.sweep-canvas", { role: "img", "aria-label": "Curves of all members", tabindex: "0" });
    this.map = element("canvas.sweep-canvas", { role: "img", "aria-label": "One value for each member; arrow keys choose, Enter shows it", tabindex: "0" });
    this.controls = element("div.view-bar", {}, this.first.root, this.second.root, this.go);
    this.body = element("div.sweep-body", {}, this.family, this.map);
    this.empty = element("div.empty");
    root.append(this.controls, element("div.view-bar.second", {}, element("label", {}, "Show ", this.variable), element("label", {}, "of each ", this.measure), this.progress), this.body, this.empty);
    this.listen();
    on("model", () => this.takeModel());
    on("run", () => this.visible && this.draw());
    on("plots", () => this.fillVariables());
    on("theme", () => this.draw());
    on("time", () => this.visible && !this.due && requestAnimationFrame(() => this.draw()));
    new ResizeObserver(() => this.draw()).observe(this.body);
  }

  get visible() {
    return app.tab === "sweep";
  }

  show() {
    if (!this.first.from.value) this.first.suggest();
    this.draw();
  }

  takeModel() {
    const parameters = app.model.variables.filter((v) => v.settable && ["parameter", "own", "state"].includes(v.kind));
    const worth = (v) => (v.kind === "own" ? 0 : v.kind === "state" ? 2 : v.name.startsWith("world.") ? 1 : /\.(TD|g|damped)$/.test(v.name) ? 4 : 3);
    parameters.sort((a, b) => worth(a) - worth(b));
    this.first.fill(parameters);
    this.second.fill(parameters);
    this.fillVariables();
    if (app.run?.members) this.takeFile();
  }

  fillVariables() {
    const before = this.variable.value;
    const plotted = this.page.plots ? this.page.plots.panels.flatMap((panel) => panel.names) : [];
    const others = app.model.variables.filter((v) => !v.constant && ["state", "derivative", "observable", "own"].includes(v.kind)).map((v) => v.name);
    const names = [...new Set([...plotted, ...others])].slice(0, 500);
    this.variable.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
    if (names.includes(before)) this.variable.value = before;
  }

  // ---------------------------------------------------------------- members

  /** the members that a file has: slices of its rows */
  async takeFile() {
    const run = app.source.whole;
    this.controls.hidden = true;
    this.axes = run.varied.map((name) => ({ name }));
    this.file = run;
    await this.changeVariable();
  }

  async changeVariable() {
    if (!this.file) {
      if (this.members.length && !this.running) await this.run();
      return;
    }
    const index = app.model.byName.get(this.variable.value);
    await this.page.fetchColumns(this.file, new Set([index]));
    const [time, all] = [this.file.time, this.file.column(index)];
    this.members = this.file.members.map((member, k) => {
      const end = this.file.members[k + 1]?.row ?? this.file.rows;
      return { values: member.values, time: time.subarray(member.row, end), y: all?.subarray(member.row, end), number: k, row: member.row, end };
    });
    for (const [i, axis] of this.axes.entries()) axis.list = [...new Set(this.members.map((m) => m.values[i]))];
    this.progress.textContent = `${this.members.length} members of the file`;
    this.draw();
  }

  stop() {
    this.running = false;
  }

  async run() {
    const read = [this.first.read(), this.second.read()].filter((axis) => axis);
    const wrong = read.find((axis) => axis instanceof Error);
    const total = wrong ? 0 : read.reduce((n, axis) => n * axis.n, 1);
    if (wrong || total > MOST || (read.length === 2 && read[0].name === read[1].name)) {
      this.progress.textContent = wrong?.message ?? (total > MOST ? `${total} members: at most ${MOST}` : "two different parameters make a map");
      return;
    }
    this.members = [];
    this.chosen = null;
    this.running = true;
    this.go.textContent = "Stop";
    const begun = performance.now();
    const { set, ...settings } = structuredClone(app.settings);
    const vary = Object.fromEntries(read.map((axis) => [axis.name, grid(axis)]));
    let message = { ...settings, set, vary, variable: this.variable.value };
    let failures = [];
    while (this.running) {
      const answer = await app.source.sweep(message, this.members.length).catch((error) => error);
      if (answer === null) continue; // a run of the page came first
      if (answer instanceof Error) {
        this.progress.textContent = answer.message;
        break;
      }
      const { head } = answer;
      if (this.members.length === 0) this.axes = head.axes.map((axis, i) => ({ ...axis, log: read[i].log }));
      if (head.said?.length) this.page.messages.show(head.said);
      failures = failures.concat(head.failures);
      for (const member of answer.members) this.members.push({ ...this.valuesOf(this.members.length, set), ...member });
      message = { sweep: head.number, first: this.members.length };
      this.progress.textContent = `${this.members.length} of ${head.members}`;
      if (this.members.length >= head.members) this.say(head, begun, failures);
      if (this.members.length >= head.members) break;
      // drawing takes at most a fifth of the time
      if (performance.now() - (this.drawn ?? 0) > 60 + 5 * (this.cost ?? 0)) this.draw();
    }
    this.running = false;
    this.go.textContent = "Run the sweep";
    this.draw();
  }

  /** how it went */
  say(head, begun, failures) {
    if (head.exit_code) {
      this.progress.textContent = "";
      return;
    }
    const lanes = head.lanes > 1 ? `, ${Math.min(head.lanes, head.members)} at a time` : "";
    const failed = failures.length ? `, ${failures.length} failed: ${failures[0]}` : "";
    this.progress.textContent = `${head.members} members in ${numberText((performance.now() - begun) / 1000, 3)} s${lanes}${failed}`;
  }

  /** the parameters of a member by its number: the last axis varies fastest */
  valuesOf(number, settings) {
    const values = [];
    for (let i = this.axes.length - 1, rest = number; i >= 0; i--) {
      const { list } = this.axes[i];
      values.unshift(list[rest % list.length]);
      rest = Math.floor(rest / list.length);
    }
    const set = { ...settings };
    this.axes.forEach((axis, i) => (set[axis.name] = String(values[i])));
    return { values, set };
  }

  /** the member becomes the run of the page */
  choose(member) {
    this.chosen = member;
    if (this.file) this.page.showMember(this.file, member);
    else {
      app.settings.set = { ...member.set };
      emit("settings");
      emit("chosen");
    }
    this.draw();
  }

  // ---------------------------------------------------------------- drawing

  listen() {
    const at = (canvas, event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    for (const canvas of [this.family, this.map]) {
      canvas.addEventListener("pointermove", (event) => {
        const member = canvas.find?.(...at(canvas, event));
        if (member !== this.under) {
          this.under = member;
          this.draw();
        }
      });
      canvas.addEventListener("pointerleave", () => {
        this.under = null;
        this.draw();
      });
      canvas.addEventListener("click", (event) => {
        const member = canvas.find?.(...at(canvas, event));
        if (member) this.choose(member);
      });
      canvas.addEventListener("keydown", (event) => this.key(event));
    }
  }

  key(event) {
    const across = this.axes[1]?.list.length ?? 1;
    const step = { ArrowRight: across, ArrowLeft: -across, ArrowUp: 1, ArrowDown: -1 }[event.key];
    const at = this.members.indexOf(this.under ?? this.chosen);
    if (event.key === "Enter" && this.under) this.choose(this.under);
    else if (step) this.under = this.members[Math.min(Math.max(at + step, 0), this.members.length - 1)];
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.draw();
  }

  draw() {
    this.due = false;
    if (!this.visible || !app.model) return;
    const begun = performance.now();
    this.empty.textContent = this.members.length ? "" : "Choose a parameter and its range, then run the sweep. A click on a member shows it moving.";
    this.body.hidden = this.members.length === 0;
    if (this.members.length === 0) return;
    const good = this.members.filter((member) => member.y?.length);
    this.shown = good;
    this.drawFamily(good);
    if (this.axes.length === 2) this.drawMap(good);
    else this.drawCurve(good);
    this.drawn = performance.now();
    this.cost = this.drawn - begun;
  }

  context(canvas) {
    const ratio = devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = "11px " + getComputedStyle(this.root).fontFamily;
    const style = getComputedStyle(document.documentElement);
    return { c, w, h, css: (name) => style.getPropertyValue(name).trim() };
  }

  colour(member) {
    const list = this.axes[0].list;
    const at = list.indexOf(member.values[0]);
    return viridis(list.length > 1 ? 0.95 * (at / (list.length - 1)) : 0.4);
  }

  /** axes with numbers; returns the maps from values to pixels */
  frame({ c, w, h, css }, x, y, texts, log = false) {
    const box = { left: 58, top: 12, right: w - 14, bottom: h - 34 };
    const up = log ? Math.log : (v) => v;
    const sx = (v) => box.left + ((up(v) - up(x[0])) / (up(x[1]) - up(x[0]))) * (box.right - box.left);
    const sy = (v) => box.bottom - ((v - y[0]) / (y[1] - y[0])) * (box.bottom - box.top);
    c.strokeStyle = css("--grid");
    c.fillStyle = css("--muted");
    c.lineWidth = 1;
    const label = (v) => numberText(Number(v.toPrecision(10)));
    c.textAlign = "center";
    for (const v of ticks(x, 6, log)) {
      c.beginPath();
      c.moveTo(sx(v), box.top);
      c.lineTo(sx(v), box.bottom);
      c.stroke();
      c.fillText(label(v), sx(v), box.bottom + 14);
    }
    c.textAlign = "right";
    for (const v of ticks(y, 5, false)) {
      c.beginPath();
      c.moveTo(box.left, sy(v));
      c.lineTo(box.right, sy(v));
      c.stroke();
      c.fillText(label(v), box.left - 6, sy(v) + 4);
    }
    c.textAlign = "right";
    c.fillText(texts[0], box.right, h - 5);
    c.save();
    c.translate(11, box.top);
    c.rotate(-Math.PI / 2);
    c.textAlign = "right";
    c.fillText(texts[1], 0, 0);
    c.restore();
    return { box, sx, sy };
  }

  unit(name) {
    const unit = unitText(app.model.variables[app.model.byName.get(name)]?.unit);
    return unit ? `${name} / ${unit}` : name;
  }

  drawFamily(good) {
    const tools = this.context(this.family);
    const { c, w } = tools;
    if (!w || !good.length) return;
    const x = [Math.min(...good.map((m) => m.time[0])), Math.max(...good.map((m) => m.time.at(-1)))];
    const y = widen(good.map((m) => extremes(m.y, 0, m.y.length)));
    const { box, sx, sy } = this.frame(tools, x, y, ["time / s", this.unit(this.variable.value)]);
    const stroke = (member, width, alpha) => {
      c.beginPath();
      trace(member.time, member.y, x[0], x[1], (box.right - box.left) / (good.length > 40 ? 4 : 1), (a, b) => c.moveTo(sx(a), sy(b)), (a, b) => c.lineTo(sx(a), sy(b)));
      c.globalAlpha = alpha;
      c.strokeStyle = this.colour(member);
      c.lineWidth = width;
      c.stroke();
      c.globalAlpha = 1;
    };
    const special = [this.chosen, this.under].filter((m) => m?.y);
    for (const member of good) stroke(member, 1.2, special.length ? 0.35 : 0.85);
    for (const member of special) stroke(member, 3, 1);
    const tx = Math.round(sx(app.t)) + 0.5;
    if (tx > box.left && tx < box.right) {
      c.strokeStyle = tools.css("--accent");
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(tx, box.top);
      c.lineTo(tx, box.bottom);
      c.stroke();
    }
    if (special.length) this.name(tools, special.at(-1), box.left + 8, box.top + 12);
    this.family.find = (px, py) => nearest(good, px, py, (m) => {
      const at = x[0] + ((px - box.left) / (box.right - box.left)) * (x[1] - x[0]);
      let k = 0;
      for (let step = 1 << 24; step >= 1; step >>= 1) if (k + step < m.time.length && m.time[k + step] <= at) k += step;
      return [[px, sy(m.y[k])]];
    });
  }

  /** "loadMass = 2, l = 1.5" */
  name({ c, css }, member, x, y, value) {
    const text = this.axes.map((axis, i) => `${axis.name} = ${numberText(member.values[i], 5)}`).join(", ") + (value === undefined ? "" : `: ${numberText(value, 5)}`);
    c.textAlign = "left";
    c.strokeStyle = css("--paper");
    c.lineWidth = 4;
    c.lineJoin = "round";
    c.strokeText(text, x, y);
    c.fillStyle = css("--ink");
    c.fillText(text, x, y);
  }

  measureOf(member) {
    return MEASURES[this.measure.value][1](member.y);
  }

  drawCurve(good) {
    const tools = this.context(this.map);
    const { c, w } = tools;
    if (!w || !good.length) return;
    const points = good.map((member) => ({ member, x: member.values[0], y: this.measureOf(member) })).filter((p) => Number.isFinite(p.y));
    if (!points.length) return;
    const [axis] = this.axes;
    const x = [Math.min(...points.map((p) => p.x)), Math.max(...points.map((p) => p.x))];
    if (x[0] === x[1]) x[1] = x[0] + 1;
    const log = !!axis.log;
    const { box, sx, sy } = this.frame(tools, x, widen(points.map((p) => [p.y, p.y])), [this.unit(axis.name), `${MEASURES[this.measure.value][0]} of ${this.variable.value}`], log);
    c.strokeStyle = tools.css("--line");
    c.lineWidth = 1.5;
    c.beginPath();
    points.forEach((p, i) => (i ? c.lineTo : c.moveTo).call(c, sx(p.x), sy(p.y)));
    c.stroke();
    for (const p of points) {
      const special = p.member === this.under || p.member === this.chosen;
      c.fillStyle = this.colour(p.member);
      c.strokeStyle = tools.css(special ? "--ink" : "--paper");
      c.lineWidth = special ? 2.5 : 1;
      c.beginPath();
      c.arc(sx(p.x), sy(p.y), special ? 7 : 4.5, 0, 2 * Math.PI);
      c.fill();
      c.stroke();
    }
    const special = points.find((p) => p.member === this.under) ?? points.find((p) => p.member === this.chosen);
    if (special) this.name(tools, special.member, box.left + 8, box.top + 12, special.y);
    this.map.find = (px, py) => nearest(points, px, py, (p) => [[sx(p.x), sy(p.y)]])?.member;
  }

  drawMap(good) {
    const tools = this.context(this.map);
    const { c, w, h, css } = tools;
    if (!w || !good.length) return;
    const [a, b] = this.axes;
    const values = new Map(good.map((member) => [member, this.measureOf(member)]));
    const finite = [...values.values()].filter(Number.isFinite);
    const [low, high] = [Math.min(...finite), Math.max(...finite)];
    const box = { left: 64, top: 12, right: w - 74, bottom: h - 34 };
    const cell = { w: (box.right - box.left) / a.list.length, h: (box.bottom - box.top) / b.list.length };
    const corner = (member) => [box.left + a.list.indexOf(member.values[0]) * cell.w, box.bottom - (b.list.indexOf(member.values[1]) + 1) * cell.h];
    for (const [member, value] of values) {
      c.fillStyle = Number.isFinite(value) ? viridis(high > low ? (value - low) / (high - low) : 0.5) : css("--line");
      const [x, y] = corner(member);
      c.fillRect(x, y, Math.ceil(cell.w), Math.ceil(cell.h));
    }
    for (const member of [this.chosen, this.under]) {
      if (!values.has(member)) continue;
      c.strokeStyle = css("--ink");
      c.lineWidth = 2.5;
      c.strokeRect(...corner(member), cell.w, cell.h);
    }
    this.mapLabels(tools, box, cell, low, high);
    const special = values.has(this.under) ? this.under : this.chosen;
    if (values.has(special)) this.name(tools, special, box.left + 6, box.top + 14, values.get(special));
    this.map.find = (px, py) => {
      const [i, k] = [Math.floor((px - box.left) / cell.w), Math.floor((box.bottom - py) / cell.h)];
      return good.find((m) => m.values[0] === a.list[i] && m.values[1] === b.list[k]);
    };
  }

  /** values of both parameters along the edges, and the bar of colours */
  mapLabels({ c, w, h, css }, box, cell, low, high) {
    const [a, b] = this.axes;
    c.fillStyle = css("--muted");
    c.textAlign = "center";
    const everyX = Math.ceil(46 / cell.w);
    a.list.forEach((v, i) => i % everyX === 0 && c.fillText(numberText(v, 3), box.left + (i + 0.5) * cell.w, box.bottom + 14));
    const everyY = Math.ceil(18 / cell.h);
    c.textAlign = "right";
    b.list.forEach((v, i) => i % everyY === 0 && c.fillText(numberText(v, 3), box.left - 5, box.bottom - (i + 0.5) * cell.h + 4));
    c.fillText(this.unit(a.name), box.right, h - 5);
    c.save();
    c.translate(11, box.top);
    c.rotate(-Math.PI / 2);
    c.fillText(this.unit(b.name), 0, 0);
    c.restore();
    for (let y = 0; y < box.bottom - box.top; y++) {
      c.fillStyle = viridis(1 - y / (box.bottom - box.top));
      c.fillRect(w - 62, box.top + y, 10, 1.5);
    }
    c.fillStyle = css("--muted");
    c.textAlign = "left";
    c.fillText(numberText(high, 3), w - 49, box.top + 8);
    c.fillText(numberText((low + high) / 2, 3), w - 49, (box.top + box.bottom) / 2 + 4);
    c.fillText(numberText(low, 3), w - 49, box.bottom);
  }
}

function ticks([from, to], n, log) {
  if (log) {
    const list = [];
    for (let k = Math.floor(Math.log10(from)); 10 ** k <= to; k++) for (const m of [1, 2, 5]) if (m * 10 ** k >= from && m * 10 ** k <= to) list.push(m * 10 ** k);
    if (list.length > 1) return list;
  }
  const step = niceStep((to - from) / n);
  const list = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) list.push(k * step);
  return list;
}

/** the least interval around all, with a margin */
function widen(list) {
  const low = Math.min(...list.map((e) => e[0]));
  const high = Math.max(...list.map((e) => e[1]));
  const margin = high > low ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
  return [low - margin, high + margin];
}

/** the one whose points come nearest to the pointer, if any is near */
function nearest(list, px, py, points) {
  let best = null;
  let near = 24;
  for (const item of list)
    for (const [x, y] of points(item)) {
      const distance = Math.hypot(x - px, y - py);
      if (distance < near) [best, near] = [item, distance];
    }
  return best;
}
