// plots.js - panels of curves below the scene, by uPlot: axes, zoom and cursor are its work, curves are traced here.
//
// A panel shows variables over time, or over another variable. Panels over time share the stretch of time that is
// shown, and one cursor, which is the time of the whole page. Colours repeat after seven curves, dashes tell those
// apart, and the curves of pinned runs are thin.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { app, emit, on, setTime } from "./store.js";
import { element, icon, iconButton, icons } from "./dom.js";
import { extremes, lowerBound, trace } from "./curve.js";
import { numberText, unitText } from "./format.js";
import { exportCsv, exportPng, exportSvg } from "./export.js";

const COLOURS = 7;
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const MAX_START_PANELS = 3;

let numbers = 0;

class Panel {
  constructor(plots) {
    this.plots = plots;
    this.number = ++numbers;
    this.names = []; // of variables
    this.over = null; // name of the variable on the x axis; null: time
    this.logY = false;
    this.logX = false; // over another variable than time only
    this.yRange = null; // [from, to] by the user's zoom
    this.xRange = null; // the same, if x is no time
    this.legend = element("div.legend", { role: "list" });
    this.host = element("div.plot-host");
    this.root = element("section.panel", { "aria-label": `Plot ${this.number}`, tabindex: "-1" }, this.head(), this.host);
    this.root.addEventListener("pointerdown", () => plots.activate(this));
    this.root.addEventListener("focusin", () => plots.activate(this));
    this.acceptDrops();
    new ResizeObserver(() => this.resize()).observe(this.host);
  }

  head() {
    this.menu = element("div.menu", { hidden: true, role: "menu" });
    const open = iconButton("more", "More about this plot", (event) => {
      event.stopPropagation();
      this.fillMenu();
      this.menu.hidden = !this.menu.hidden;
    });
    document.addEventListener("click", () => (this.menu.hidden = true));
    return element("header.panel-head", {}, this.legend, open, iconButton("close", "Close this plot", () => this.plots.remove(this)), this.menu);
  }

  fillMenu() {
    const item = (text, action, checked) =>
      element("button.menu-item", { type: "button", role: "menuitem", onclick: action, "aria-checked": checked }, text);
    const names = [null, ...this.names, ...app.model.variables.filter((v) => v.kind === "state").map((v) => v.name)];
    const choose = element("select", {
      "aria-label": "What the x axis shows",
      onclick: (event) => event.stopPropagation(),
      onchange: () => this.setOver(choose.value || null),
    });
    for (const name of new Set([...names, this.over])) choose.append(element("option", { value: name ?? "", selected: name === this.over }, name ?? "time"));
    this.menu.replaceChildren(
      element("label.menu-row", {}, "Over ", choose),
      item("Logarithmic y axis", () => this.setLog(!this.logY), this.logY),
      ...(this.over ? [item("Logarithmic x axis", () => this.setLogX(!this.logX), this.logX)] : []),
      item("Show everything", () => this.reset()),
      element("hr"),
      item("Save as SVG", () => exportSvg(this)),
      item("Save as PNG", () => exportPng(this)),
      item("Save the numbers as CSV", () => exportCsv(this)),
    );
  }

  setOver(name) {
    this.over = name;
    this.xRange = null;
    this.plots.changed();
  }

  setLog(log) {
    this.logY = log;
    this.yRange = null;
    this.make();
  }

  setLogX(log) {
    this.logX = log;
    this.xRange = null;
    this.make();
  }

  reset() {
    this.yRange = this.xRange = null;
    this.plots.setRange(null);
  }

  acceptDrops() {
    this.root.addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("text/x-lieder")) return;
      event.preventDefault();
      this.root.classList.add("drop");
    });
    this.root.addEventListener("dragleave", () => this.root.classList.remove("drop"));
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.root.classList.remove("drop");
      const name = event.dataTransfer.getData("text/x-lieder");
      // near the x axis the variable becomes the x axis
      const box = this.host.getBoundingClientRect();
      if (event.clientY > box.bottom - 34) this.setOver(name);
      else this.add(name);
    });
  }

  add(name) {
    if (!app.model.byName.has(name) || this.names.includes(name)) return;
    this.names.push(name);
    this.plots.changed();
  }

  drop(name) {
    this.names = this.names.filter((other) => other !== name);
    if (this.names.length === 0) this.plots.remove(this);
    else this.plots.changed();
  }

  // ---------------------------------------------------------------- curves

  /** what is drawn: for every run and variable its two columns */
  curves() {
    const list = [];
    const runs = [...app.pins.filter((pin) => pin.run !== app.run).map((pin) => ({ run: pin.run, pinned: true, label: pin.label })), { run: app.run }];
    for (const { run, pinned, label } of runs)
      this.names.forEach((name, i) => {
        const index = run?.indexOf(name, app.model);
        const y = index === undefined ? undefined : run.column(index);
        const x = this.over ? run?.column(run.indexOf(this.over, app.model)) : run?.time;
        if (!x || !y || x.length !== y.length) return;
        list.push({ run, name, x, y, pinned, label, colour: i % COLOURS, dash: Math.floor(i / COLOURS) % DASHES.length });
      });
    return list;
  }

  unit(name) {
    const variable = app.model.variables[app.model.byName.get(name)];
    return variable ? unitText(variable.unit) : "";
  }

  /** one unit if all have it */
  axisText() {
    const units = [...new Set(this.names.map((name) => this.unit(name)))];
    return units.length === 1 ? units[0] : units.filter((u) => u).join(", ");
  }

  xText() {
    if (!this.over) return "time / s";
    return this.unit(this.over) ? `${this.over} / ${this.unit(this.over)}` : this.over;
  }

  xLimits() {
    if (!this.over) return this.plots.range();
    if (this.xRange) return this.xRange;
    if (this.logX) {
      const [low, high] = this.shown.reduce((all, c) => join(all, positiveExtremes(c.x, 0, c.x.length)), [Infinity, -Infinity]);
      return low > 0 && high > low ? [low / 1.1, high * 1.1] : [0.1, 10];
    }
    return padded(this.shown.reduce(([a, b], c) => join([a, b], extremes(c.x, 0, c.x.length)), [Infinity, -Infinity]), 0.03);
  }

  yLimits() {
    if (this.yRange) return this.yRange;
    const [from, to] = this.xLimits();
    let limits = [Infinity, -Infinity];
    for (const c of this.shown) {
      const first = this.over ? 0 : Math.max(lowerBound(c.x, from) - 1, 0);
      const end = this.over ? c.x.length : Math.min(lowerBound(c.x, to) + 1, c.x.length);
      if (this.logY) {
        limits = join(limits, positiveExtremes(c.y, first, end));
      } else limits = join(limits, extremes(c.y, first, end));
    }
    if (this.logY) return limits[0] > 0 && limits[1] > limits[0] ? [limits[0] / 1.2, limits[1] * 1.2] : [0.1, 10];
    return padded(limits, 0.06);
  }

  // ---------------------------------------------------------------- uPlot

  make() {
    this.plot?.destroy();
    this.plot = null;
    this.shown = this.curves();
    this.makeLegend();
    if (!this.host.clientWidth || this.shown.length === 0) return;
    const style = getComputedStyle(document.documentElement);
    const css = (name) => style.getPropertyValue(name).trim();
    const font = `11px ${getComputedStyle(document.body).fontFamily}`;
    const axis = { stroke: css("--muted"), font, ticks: { stroke: css("--line"), width: 1, size: 4 }, grid: { stroke: css("--grid"), width: 1 } };
    const values = (_, splits) => splits.map((v) => (v === null ? "" : numberText(Number(v.toPrecision(10)))));
    const facets = [
      { scale: "x", auto: false },
      { scale: "y", auto: false },
    ];
    this.plot = new uPlot(
      {
        mode: 2,
        width: this.host.clientWidth,
        height: this.host.clientHeight,
        padding: [6, 24, 0, 0],
        legend: { show: false },
        cursor: { points: { show: false }, x: false, y: false, drag: { x: true, y: true, uni: 30, setScale: false } },
        scales: {
          x: { time: false, distr: this.over && this.logX ? 3 : 1, range: () => this.xLimits() },
          y: { distr: this.logY ? 3 : 1, range: () => this.yLimits() },
        },
        axes: [
          // panels over time share their axis: the last one names it
          { ...axis, ...(this.over || this.plots.panels.at(-1) === this ? { label: this.xText(), labelFont: font, labelSize: 16, labelGap: 0 } : {}), size: 26, gap: 3, values },
          { ...axis, label: this.axisText(), labelFont: font, labelSize: 16, labelGap: 0, size: 56, gap: 4, values },
        ],
        series: [null, ...this.shown.map((c) => this.series(c, css, facets))],
        hooks: {
          draw: [(u) => this.drawCursor(u, css)],
          setSelect: [(u) => this.zoomBox(u)],
        },
      },
      [null, ...this.shown.map((c) => [c.x, c.y])],
      this.host,
    );
    this.listen();
  }

  series(curve, css, facets) {
    return {
      facets,
      stroke: css(`--curve-${curve.colour + 1}`),
      width: curve.pinned ? 1 : 1.8,
      dash: DASHES[curve.dash],
      alpha: curve.pinned ? 0.6 : 1,
      points: { show: false },
      paths: (u) => {
        const path = new Path2D();
        const sx = (v) => u.valToPos(v, "x", true);
        const sy = (v) => u.valToPos(v, "y", true);
        const move = (x, y) => path.moveTo(sx(x), sy(y));
        const line = (x, y) => path.lineTo(sx(x), sy(y));
        const logX = this.over && this.logX;
        const positive = this.logY || logX ? (f) => (x, y) => (y > 0 || !this.logY) && (x > 0 || !logX) && f(x, y) : (f) => f;
        if (this.over) walk(curve.x, curve.y, positive(move), positive(line));
        else trace(curve.x, curve.y, u.scales.x.min, u.scales.x.max, u.bbox.width, positive(move), positive(line));
        return { stroke: path, fill: null, clip: null, band: null, gaps: null, flags: 0 };
      },
    };
  }

  /** the time of the page as a line, and a dot on every curve */
  drawCursor(u, css) {
    const run = app.run;
    const c = u.ctx;
    const ratio = devicePixelRatio;
    c.save();
    c.beginPath();
    c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    c.clip();
    if (!this.over) {
      const x = Math.round(u.valToPos(app.t, "x", true)) + 0.5;
      c.strokeStyle = css("--accent");
      c.lineWidth = ratio;
      c.beginPath();
      c.moveTo(x, u.bbox.top);
      c.lineTo(x, u.bbox.top + u.bbox.height);
      c.stroke();
    }
    for (const curve of this.shown) {
      if (curve.run !== run) continue;
      const y = run.value(app.model.byName.get(curve.name), app.t);
      const x = this.over ? run.value(app.model.byName.get(this.over), app.t) : app.t;
      if (!Number.isFinite(x) || !Number.isFinite(y) || (this.logY && y <= 0)) continue;
      c.fillStyle = css(`--curve-${curve.colour + 1}`);
      c.strokeStyle = css("--paper");
      c.lineWidth = 1.5 * ratio;
      c.beginPath();
      c.arc(u.valToPos(x, "x", true), u.valToPos(y, "y", true), 4 * ratio, 0, 2 * Math.PI);
      c.fill();
      c.stroke();
    }
    c.restore();
  }

  listen() {
    const over = this.plot.over;
    let pressed = null;
    over.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY]));
    over.addEventListener("pointerup", (event) => {
      const still = pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4;
      pressed = null;
      if (still && !this.over && this.plot) setTime(this.nearestRow(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x")));
    });
    over.addEventListener("dblclick", () => this.reset());
    over.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const box = over.getBoundingClientRect();
        this.zoomAt(Math.exp(event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top, event.shiftKey);
      },
      { passive: false },
    );
  }

  /** times of rows are what can be compared with a file */
  nearestRow(t) {
    const run = app.run;
    const row = run.rowAt(t);
    const next = Math.min(row + 1, run.rows - 1);
    return run.time[next] - t < t - run.time[row] ? run.time[next] : run.time[row];
  }

  /** wheel: along x; with shift along y */
  zoomAt(factor, px, py, vertical) {
    const around = ([from, to], at) => [at - (at - from) * factor, at + (to - at) * factor];
    if (vertical) this.yRange = around(this.yLimits(), this.plot.posToVal(py, "y"));
    else if (this.over) this.xRange = around(this.xLimits(), this.plot.posToVal(px, "x"));
    else return this.plots.setRange(around(this.xLimits(), this.plot.posToVal(px, "x")));
    return this.update();
  }

  zoomBox(u) {
    const { left, top, width, height } = u.select;
    if (width < 4 && height < 4) return;
    const x = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
    const y = [u.posToVal(top + height, "y"), u.posToVal(top, "y")];
    if (height >= 4 && height < u.over.clientHeight - 2) this.yRange = y;
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (width < 4 || width >= u.over.clientWidth - 2) this.update();
    else if (this.over) {
      this.xRange = x;
      this.update();
    } else this.plots.setRange(x);
  }

  resize() {
    if (!this.plot) this.make();
    else this.plot.setSize({ width: this.host.clientWidth, height: this.host.clientHeight });
  }

  /** other limits, same curves */
  update() {
    if (!this.plot) return;
    const [from, to] = this.xLimits();
    const [low, high] = this.yLimits();
    this.plot.batch(() => {
      this.plot.setScale("x", { min: from, max: to });
      this.plot.setScale("y", { min: low, max: high });
    });
    this.plot.redraw(true, true);
  }

  // ---------------------------------------------------------------- legend

  makeLegend() {
    this.legend.replaceChildren(
      ...this.names.map((name, i) => {
        const sample = lineSample(i % COLOURS, Math.floor(i / COLOURS) % DASHES.length);
        const value = element("span.value", { "data-name": name }, "");
        return element(
          "span.chip",
          { role: "listitem", title: app.model.variables[app.model.byName.get(name)]?.text ?? name },
          sample,
          element("span.name", {}, name),
          value,
          element("button.chip-close", { type: "button", "aria-label": `Take ${name} out of the plot`, title: "Take it out", onclick: () => this.drop(name) }, icon(icons.close)),
        );
      }),
    );
    this.showValues();
  }

  showValues() {
    for (const value of this.legend.querySelectorAll(".value")) {
      const name = value.dataset.name;
      const number = app.run?.value(app.model.byName.get(name), app.t);
      const unit = this.unit(name);
      value.textContent = number === undefined ? "" : `${numberText(number)}${unit ? " " + unit : ""}`;
    }
  }
}

/** a line in the colour and the dashes of a curve */
function lineSample(colour, dash) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 22 8");
  svg.setAttribute("class", `sample curve-${colour + 1}`);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  for (const [key, value] of Object.entries({ x1: 1, x2: 21, y1: 4, y2: 4, "stroke-dasharray": DASHES[dash].join(" ") })) line.setAttribute(key, value);
  svg.append(line);
  return svg;
}

/** least and greatest of what a logarithmic axis can show */
function positiveExtremes(column, first, end) {
  const [low, high] = extremes(column, first, end);
  if (low > 0) return [low, high];
  let least = Infinity;
  for (let i = first; i < end; i++) if (column[i] > 0 && column[i] < least) least = column[i];
  return [least, high];
}

function walk(x, y, move, line) {
  let drawing = false;
  for (let i = 0; i < x.length; i++) {
    const good = Number.isFinite(x[i]) && Number.isFinite(y[i]);
    if (good) (drawing ? line : move)(x[i], y[i]);
    drawing = good;
  }
}

const join = ([a, b], [c, d]) => [Math.min(a, c), Math.max(b, d)];

/** a margin on either side; something for a constant or for nothing */
function padded([from, to], share) {
  if (!(from <= to)) return [0, 1];
  const width = to - from;
  if (width <= 1e-12 * Math.max(Math.abs(from), Math.abs(to))) {
    const half = Math.abs(from) > 0 ? 0.1 * Math.abs(from) : 1;
    return [from - half, to + half];
  }
  return [from - share * width, to + share * width];
}

export class Plots {
  constructor(host) {
    this.host = host;
    this.panels = [];
    this.list = element("div.panels");
    this.hint = element("div.empty", {}, "Drag a variable here from the list on the left, or press Enter on it.");
    host.append(this.list, this.hint);
    host.addEventListener("dragover", (event) => {
      if (event.dataTransfer.types.includes("text/x-lieder")) event.preventDefault();
    });
    host.addEventListener("drop", (event) => {
      event.preventDefault();
      this.addPanel([event.dataTransfer.getData("text/x-lieder")]);
    });
    on("model", () => this.takeModel());
    on("run", () => this.refresh());
    on("pins", () => this.refresh());
    on("theme", () => this.refresh());
    on("time", () => this.moveCursor());
  }

  /** the first plots: what is interesting about most models */
  takeModel() {
    this.panels = this.panels.filter((panel) => {
      panel.names = panel.names.filter((name) => app.model.byName.has(name));
      if (panel.over && !app.model.byName.has(panel.over)) panel.over = null;
      return panel.names.length > 0;
    });
    if (!this.started) for (const names of startNames(app.model)) this.panels.push(Object.assign(new Panel(this), { names }));
    this.started = true;
    this.active = this.panels[0];
    this.show();
  }

  range() {
    return app.range ?? (app.run && app.run.rows ? [app.run.first, Math.max(app.run.last, app.run.done ? -Infinity : app.run.stop, app.run.first + 1e-9)] : [0, 1]);
  }

  setRange(range) {
    const run = app.run;
    if (range && run && range[0] <= run.first && range[1] >= run.last) range = null;
    if (range && !(range[1] - range[0] > 1e-9 * (run.last - run.first))) return;
    app.range = range;
    emit("view");
    for (const panel of this.panels) panel.update();
  }

  columns() {
    const wanted = new Set();
    for (const panel of this.panels)
      for (const name of [...panel.names, panel.over]) if (name && app.model.byName.has(name)) wanted.add(app.model.byName.get(name));
    return wanted;
  }

  addPanel(names) {
    const panel = Object.assign(new Panel(this), { names: names.filter((name) => app.model.byName.has(name)) });
    if (panel.names.length === 0) return;
    this.panels.push(panel);
    this.active = panel;
    this.show();
    this.changed();
  }

  /** into the panel that was used last, or a new one */
  add(name) {
    if (this.active && this.panels.includes(this.active)) this.active.add(name);
    else this.addPanel([name]);
  }

  has(name) {
    return this.panels.some((panel) => panel.names.includes(name));
  }

  remove(panel) {
    panel.plot?.destroy();
    this.panels = this.panels.filter((other) => other !== panel);
    if (this.active === panel) this.active = this.panels[0];
    this.show();
    this.changed();
  }

  activate(panel) {
    this.active = panel;
    for (const other of this.panels) other.root.classList.toggle("active", other === panel && this.panels.length > 1);
  }

  show() {
    this.list.replaceChildren(...this.panels.map((panel) => panel.root));
    this.hint.hidden = this.panels.length > 0;
    if (this.active) this.activate(this.active);
  }

  /** other curves: what is missing is fetched by whoever listens */
  changed() {
    emit("plots");
    this.refresh();
  }

  refresh() {
    for (const panel of this.panels) panel.make();
  }

  moveCursor() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      for (const panel of this.panels) {
        panel.plot?.redraw(false, false);
        panel.showValues();
      }
    });
  }
}

/** states that are no rates of other states, grouped by unit; without states the first columns */
function startNames(model) {
  const states = model.variables.filter((v) => v.kind === "state");
  const slow = states.filter((v) => !/\/s(2)?$/.test(v.unit ?? "") || !/^(m|rad)\//.test(v.unit ?? ""));
  const chosen = slow.length ? slow : states.length ? states : model.variables.filter((v) => !v.constant && !v.name.startsWith("der(") && !app.run?.varied?.includes(v.name));
  const groups = new Map();
  for (const variable of chosen.slice(0, 40)) {
    const unit = variable.unit ?? "";
    if (!groups.has(unit)) groups.set(unit, []);
    if (groups.get(unit).length < 4) groups.get(unit).push(variable.name);
  }
  return [...groups.values()].slice(0, MAX_START_PANELS);
}
