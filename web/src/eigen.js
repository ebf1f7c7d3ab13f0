// eigen.js - eigenvalues at the time of the cursor, in the plane of h lambda with the stability region of a solver: what
// lieder eigen --at and lieder stability say. A mark inside the region decays or stays in steps of h, one outside grows.
import { app, on } from "./store.js";
import { element } from "./dom.js";
import { niceStep, numberText, readNumber } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** is the point inside the closed curve? */
export function encloses({ re, im }, x, y) {
  let inside = false;
  for (let i = 0, k = re.length - 1; i < re.length; k = i++)
    if (im[i] > y !== im[k] > y && x < ((re[k] - re[i]) * (y - im[i])) / (im[k] - im[i]) + re[i]) inside = !inside;
  return inside;
}

/** does a motion with z = h lambda stay in steps of the method? On the edge it does. */
export function isStable(region, re, im) {
  if (re === 0 && im === 0) return true;
  const near = 1 - 1e-6;
  return region.explicit ? encloses(region, re * near, im * near) : !encloses(region, re / near, im / near) || re <= 0;
}

export class Eigen {
  constructor(root) {
    this.root = root;
    this.regions = [];
    this.method = element("select", { "aria-label": "Solver of the region", onchange: () => this.draw() });
    this.step = element("input.number", { type: "text", inputmode: "decimal", "aria-label": "Step h in s" });
    this.step.addEventListener("change", () => {
      const h = readNumber(this.step.value);
      this.h = h > 0 ? h : null;
      this.draw();
    });
    this.at = element("span.muted");
    this.plane = element("div.plane");
    this.table = element("div.eigen-table", { tabindex: "0" });
    this.empty = element("div.empty");
    root.append(
      element("div.view-bar", {}, element("label", {}, "Region of ", this.method), element("label", {}, "step h ", this.step, " s"), this.at),
      element("div.eigen-body", {}, this.plane, this.table),
      this.empty,
    );
    on("run", () => this.later());
    on("time", () => this.later());
    on("theme", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.plane);
  }

  get visible() {
    return app.tab === "eigen";
  }

  show() {
    this.later();
  }

  /** when the cursor rests: a run to that time is made for it */
  later() {
    if (!this.visible || !app.run || app.playing) return;
    clearTimeout(this.due);
    this.due = setTimeout(() => this.ask(), 120);
  }

  async ask() {
    const key = JSON.stringify([app.t, app.settings]);
    if (key === this.key || !app.run.done) return;
    this.key = key;
    const settings = app.settings;
    let lines;
    try {
      lines = await app.source.eigen({ ...settings, at: app.t, ...(this.regions.length ? {} : { regions: 1 }) });
    } catch (error) {
      this.say(error.message);
      return;
    }
    if (!lines) return; // a later question has taken its place
    const regions = lines.filter((line) => line.type === "region");
    if (regions.length) this.takeRegions(regions);
    this.values = lines.filter((line) => line.type === "eigenvalue");
    this.steps = lines.filter((line) => line.type === "stability");
    const head = lines.find((line) => line.type === "linearisation");
    const wrong = lines.find((line) => line.severity === "error" || line.type === "error");
    this.say(head ? (head.states ? "" : "This model has no states.") : `${wrong?.message ?? "The model cannot be linearised here."} ${wrong?.advice ?? ""}`);
    this.at.textContent = head ? `at t = ${numberText(head.time)} s` : "";
    this.draw();
  }

  say(text) {
    this.empty.textContent = text;
    this.root.querySelector(".eigen-body").hidden = !!text;
  }

  takeRegions(regions) {
    this.regions = regions;
    this.method.replaceChildren(...regions.map((region) => element("option", { value: region.method }, region.method)));
    const own = regions.find((region) => region.solver === app.run.solver) ?? regions.find((region) => region.method === "rk4");
    if (own) this.method.value = own.method;
  }

  // ---------------------------------------------------------------- drawing

  region() {
    return this.regions.find((region) => region.method === this.method.value);
  }

  /** the step of the run, or the longest one that is stable, or one that makes the fastest motion visible */
  chooseStep() {
    if (this.h) return this.h;
    if (app.run?.step > 0) return app.run.step;
    const best = this.steps?.find((line) => line.solver === this.method.value)?.largest_step;
    if (best > 0) return Number(best.toPrecision(3));
    const fastest = Math.max(...this.values.map((v) => v.rate), 0);
    return fastest > 0 ? Number((1 / fastest).toPrecision(2)) : 1;
  }

  draw() {
    if (!this.visible || !this.values || !this.region()) return;
    const h = this.chooseStep();
    if (document.activeElement !== this.step) this.step.value = numberText(h);
    this.drawPlane(h);
    this.drawTable(h);
  }

  drawPlane(h) {
    const [w, height] = [this.plane.clientWidth, this.plane.clientHeight];
    if (!w || !height) return;
    const region = this.region();
    const bounds = this.bounds(region, h);
    const scale = Math.min((w - 70) / (bounds.x[1] - bounds.x[0]), (height - 50) / (bounds.y[1] - bounds.y[0]));
    const cx = (bounds.x[0] + bounds.x[1]) / 2;
    const sx = (x) => 20 + w / 2 + (x - cx) * scale;
    const sy = (y) => height / 2 - 8 - y * scale;
    const svg = shape("svg", { width: w, height, role: "img", "aria-label": "Eigenvalues times h in the stability region" });
    const curve = region.re.map((re, i) => `${i ? "L" : "M"}${sx(re).toFixed(2)} ${sy(region.im[i]).toFixed(2)}`).join("") + "Z";
    const all = `M0 0H${w}V${height}H0Z`;
    svg.append(shape("path", { class: "region", d: region.explicit ? curve : all + curve, "fill-rule": "evenodd" }));
    svg.append(shape("path", { class: "region-edge", d: curve }));
    this.drawAxes(svg, { w, height, sx, sy, scale });
    for (const value of this.values) {
      const [x, y] = [sx(h * value.real), sy(h * value.imaginary)];
      const good = value.motion === "growing" || isStable(region, h * value.real, h * value.imaginary);
      const mark = good ? shape("circle", { cx: x, cy: y, r: 4.5, class: "eigen-mark" }) : shape("path", { d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10`, class: "eigen-mark unstable" });
      mark.append(shape("title", {}, `${valueText(value)} 1/s${value.states[0] ? `, ${value.states[0]}` : ""}`));
      svg.append(mark);
    }
    this.plane.replaceChildren(svg);
  }

  /** the region and the marks; marks far away are not to shrink the region to a dot, and the other way round */
  bounds(region, h) {
    const list = region.re.map((re, i) => [re, region.im[i]]).filter(([re, im]) => Math.hypot(re, im) < 12);
    for (const value of this.values) list.push([h * value.real, h * value.imaginary]);
    const x = [Math.min(-2, ...list.map((p) => p[0])), Math.max(1, ...list.map((p) => p[0]))];
    const y = Math.max(1.5, ...list.map((p) => Math.abs(p[1])));
    return { x: [x[0] - 0.4, x[1] + 0.4], y: [-y - 0.3, y + 0.3] };
  }

  drawAxes(svg, { w, height, sx, sy, scale }) {
    const step = niceStep(60 / scale);
    svg.append(shape("path", { class: "axis", d: `M0 ${sy(0)}H${w}M${sx(0)} 0V${height}` }));
    const text = (value) => numberText(Number(value.toPrecision(10)));
    for (let k = -40; k <= 40; k++) {
      if (k === 0) continue;
      const [x, y] = [sx(k * step), sy(k * step)];
      if (x > 30 && x < w - 46) svg.append(shape("text", { x, y: height - 6, class: "tick", "text-anchor": "middle" }, text(k * step)));
      if (y > 30 && y < height - 22) svg.append(shape("text", { x: 6, y: y + 4, class: "tick" }, text(k * step)));
    }
    svg.append(shape("text", { x: w - 8, y: height - 6, class: "tick", "text-anchor": "end" }, "Re hλ"), shape("text", { x: 6, y: 14, class: "tick" }, "Im hλ"));
  }

  drawTable(h) {
    const region = this.region();
    const rows = this.values.filter((v) => v.imaginary >= 0).slice(0, 200);
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...["λ in 1/s", "Hz", "damping", "decays in", "with h", "takes part"].map((text) => element("th", { scope: "col" }, text)))));
    const body = element("tbody");
    for (const v of rows) {
      const stable = isStable(region, h * v.real, h * v.imaginary);
      const parts = v.states.slice(0, 2).map((name, i) => `${name} ${Math.round(100 * v.participation[i])} %`);
      body.append(
        element(
          "tr",
          {},
          element("td", {}, valueText(v) + (v.lanes > 1 ? ` (${v.lanes}×)` : "")),
          element("td", {}, v.frequency > 0 && v.motion !== "rest" ? numberText(v.frequency, 4) : ""),
          element("td", {}, v.imaginary !== 0 && v.motion !== "rest" ? numberText(v.motion === "undamped" ? 0 : v.damping, 3) : ""),
          element("td", {}, v.motion === "decaying" ? `${numberText(v.time_constant, 3)} s` : { rest: "at rest", undamped: "never", growing: "grows" }[v.motion]),
          element(stable || v.motion === "growing" ? "td" : "td.bad", {}, v.motion === "growing" ? "grows, as it should" : stable ? "stable" : "✕ grows"),
          element("td.parts", { title: parts.join(", ") }, parts.join(", ")),
        ),
      );
    }
    table.append(body);
    const steps = (this.steps ?? []).map((line) => `${line.solver} ${line.largest_step === null ? "any" : `${numberText(line.largest_step, 4)} s`}`);
    this.table.replaceChildren(table, element("p.muted", {}, `Largest stable step: ${steps.join(", ")}`));
  }
}

function valueText(v) {
  if (v.motion === "rest") return "0";
  const re = v.motion === "undamped" ? 0 : v.real;
  if (v.imaginary === 0) return numberText(re, 5);
  return `${re === 0 ? "" : numberText(re, 5) + " "}± ${numberText(Math.abs(v.imaginary), 5)} i`;
}

