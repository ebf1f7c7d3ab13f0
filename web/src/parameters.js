// parameters.js - what may change: parameters and start values as sliders, and how the run is made.
import { app, emit, on } from "./store.js";
import { element, icon, icons, iconButton } from "./dom.js";
import { numberText, plainNumber, readNumber, unitText } from "./format.js";

const STEPS = 400; // of a slider

/** which numbers a slider covers: around the value that the model has, inside what is admissible */
export function sliderRange(value, min = -Infinity, max = Infinity) {
  if (Number.isFinite(min) && Number.isFinite(max)) return { from: min, to: max, log: false };
  if (value > 0 && min >= 0) return { from: value / 10, to: value * 10, log: true };
  if (value > 0) return { from: Math.max(0, min), to: Math.min(2 * value, max), log: false };
  const half = value === 0 ? 1 : 2 * Math.abs(value);
  return { from: Math.max(-half, min), to: Math.min(value === 0 ? half : Math.max(0, value), max), log: false };
}

const toSlider = ({ from, to, log }, value) =>
  STEPS * (log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from));

/** three digits are enough for a hand */
const fromSlider = ({ from, to, log }, position) => {
  const share = position / STEPS;
  return Number((log ? from * (to / from) ** share : from + share * (to - from)).toPrecision(3));
};

export class Parameters {
  constructor(host) {
    this.groups = element("div.groups");
    this.settings = element("div.group.settings");
    this.pins = element("div.pins");
    host.append(this.pins, this.settings, element("h2", {}, "Parameters"), this.groups);
    on("model", () => this.takeModel());
    on("run", () => this.takeRun());
    on("pins", () => this.showPins());
    on("chosen", () => {
      for (const field of this.fields?.values() ?? []) this.show(field);
    });
  }

  takeModel() {
    if (this.made) return;
    this.made = true;
    this.fields = new Map();
    this.takeSettings();
    const groups = new Map();
    app.model.variables.forEach((variable, index) => {
      if (!variable.settable || !["parameter", "own", "state"].includes(variable.kind)) return;
      if (this.fields.has(index)) return; // T_D, above
      const at = variable.name.lastIndexOf(".");
      const group = variable.kind === "own" ? "" : at < 0 ? "" : variable.name.slice(0, at);
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push({ variable, index });
    });
    const shared = new Set(["TD", "g", "damped"]); // what the World gives to every component
    const sorted = [...groups].sort(([a], [b]) => (a === "" ? -1 : b === "" ? 1 : a === "world" ? -1 : b === "world" ? 1 : 0));
    this.groups.replaceChildren(
      ...sorted.map(([group, list], i) => {
        const own = list.filter(({ variable }) => group === "world" || !groups.has("world") || !shared.has(lastName(variable.name)));
        const rest = list.filter((row) => !own.includes(row));
        const rows = own.map((row) => this.row(row));
        const details = element("details.group", { open: i < 8 && own.length > 0 }, element("summary", {}, group || app.model.title), ...rows);
        if (rest.length)
          details.append(element("details.more", {}, element("summary", {}, `${rest.length} from world`), ...rest.map((row) => this.row(row))));
        return details;
      }),
    );
    if (sorted.length === 0) this.groups.append(element("p.note", {}, app.run?.file ? "A file of results cannot be run again." : "This model has no parameters."));
  }

  /** name, text, range and default, as a tooltip */
  explain(variable, base) {
    const { name, text, unit, min, max } = variable;
    const range = min === undefined && max === undefined ? "" : `\nrange ${min === undefined ? "−∞" : numberText(min)} to ${max === undefined ? "∞" : numberText(max)} ${unitText(unit)}`;
    return `${name}${text ? `: ${text}` : ""}${range}${base === undefined ? "" : `\nin the model ${numberText(base, 7)} ${unitText(unit)}`}`;
  }

  row({ variable, index }) {
    const base = app.run?.constants?.[index] ?? app.run?.columns.get(index)?.[0];
    const field = { variable, index, base };
    const boolean = variable.name.endsWith(".damped");
    const name = lastName(variable.name);
    field.number = element("input.number", { type: "text", inputmode: "decimal", "aria-label": `${variable.name} ${unitText(variable.unit)}`, spellcheck: "false" });
    field.slider = element("input.slider", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": variable.name, "data-name": variable.name });
    field.reset = iconButton("reset", "Back to the model's value", () => this.set(field, null));
    field.reset.classList.add("small");
    field.row = element(
      "div.field",
      { title: this.explain(variable) },
      element("span.name", {}, name, variable.kind === "state" ? element("span.kind", {}, "start") : null),
      field.number,
      element("span.unit", {}, unitText(variable.unit)),
      field.reset,
      field.slider,
    );
    field.slider.hidden = boolean || !app.source.live || !!app.run?.file;
    field.slider.addEventListener("input", () => this.set(field, fromSlider(field.range, Number(field.slider.value))));
    field.slider.addEventListener("dblclick", () => this.set(field, null));
    field.number.addEventListener("change", () => {
      const value = readNumber(field.number.value);
      if (Number.isFinite(value)) this.set(field, value);
      else this.show(field);
    });
    field.number.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.show(field);
    });
    this.fields.set(index, field);
    this.show(field);
    return field.row;
  }

  /** a value for the next run; null: the model's own */
  set(field, value) {
    const { name } = field.variable;
    if (value === null) delete app.settings.set[name];
    else app.settings.set[name] = plainNumber(value);
    this.show(field);
    emit("settings");
  }

  show(field) {
    const given = app.settings.set[field.variable.name];
    const value = given === undefined ? field.base : Number(given);
    field.row.classList.toggle("changed", given !== undefined);
    field.reset.hidden = given === undefined;
    const known = value !== undefined && Number.isFinite(value);
    field.number.value = known ? numberText(value, 6) : "";
    if (!field.range && field.base !== undefined) field.range = sliderRange(field.base, field.variable.min, field.variable.max);
    field.slider.disabled = !field.range || app.run?.file || !app.source.live;
    field.number.disabled = app.run?.file || !app.source.live;
    if (field.range && known) field.slider.value = String(toSlider(field.range, value));
  }

  /** values of the model, when the first run has come; start values of states are those of its first row */
  takeRun() {
    this.takeSettingsRun();
    if (!this.fields) return;
    for (const field of this.fields.values()) {
      if (app.settings.set[field.variable.name] !== undefined) continue;
      const value = app.run.constants?.[field.index] ?? app.run.columns.get(field.index)?.[0];
      if (value === undefined || value === null) continue;
      field.base = value;
      field.row.title = this.explain(field.variable, value);
      this.show(field);
    }
  }

  /** start values that are shown */
  columns() {
    return [...(this.fields?.values() ?? [])].filter((f) => f.variable.kind === "state").map((f) => f.index);
  }

  // ---------------------------------------------------------------- how the run is made

  takeSettings() {
    this.solver = element("select", { "aria-label": "Solver", id: "solver" });
    this.solver.append(element("option", { value: "" }, "as the model says"));
    for (const solver of app.model.solvers ?? []) this.solver.append(element("option", { value: solver.name, title: solver.text }, solver.name));
    const number = (key, label, unit) => {
      const input = element("input.number", { type: "text", inputmode: "decimal", "aria-label": label, id: `setting-${key}` });
      input.addEventListener("change", () => {
        const value = readNumber(input.value);
        if (Number.isFinite(value)) app.settings[key] = value;
        else delete app.settings[key];
        emit("settings");
      });
      this[key] = input;
      return element("div.field", {}, element("span.name", {}, label), input, element("span.unit", {}, unit));
    };
    this.solver.addEventListener("change", () => {
      if (this.solver.value) app.settings.solver = this.solver.value;
      else delete app.settings.solver;
      emit("settings");
    });
    const frozen = app.run?.file || !app.source.live;
    const fleet = app.run?.fleet > 1 ? [this.lanesField()] : [];
    this.settings.replaceChildren(
      element("h2", {}, "Run"),
      element("div.field", {}, element("span.name", {}, "solver"), this.solver),
      number("stop", "stop time", "s"),
      number("tolerance", "tolerance", ""),
      number("step", "step", "s"),
      ...this.dampingField(),
      ...fleet,
    );
    this.settings.hidden = frozen;
  }

  /** T_D of the World beside the step: together they decide what is stable */
  dampingField() {
    const index = app.model.byName.get("world.TD");
    if (index === undefined || !app.model.variables[index].settable) return [];
    const row = this.row({ variable: app.model.variables[index], index });
    row.querySelector(".name").replaceChildren("T", element("sub", {}, "D"));
    return [row];
  }

  /** which members of a fleet are shown */
  lanesField() {
    const input = element("input.number.wide", { type: "text", "aria-label": `Members of ${app.run.fleet} that are shown`, placeholder: "some of them", id: "setting-lanes" });
    input.addEventListener("change", () => {
      if (input.value.trim()) app.settings.lanes = input.value.replace(/\s/g, "");
      else delete app.settings.lanes;
      emit("settings");
    });
    return element("div.field", { title: `of ${app.run.fleet} members, as in 1:100 or 3,7,20:30` }, element("span.name", {}, "members"), input, element("span.unit", {}, `of ${numberText(app.run.fleet)}`));
  }

  takeSettingsRun() {
    const run = app.run;
    if (!this.stop || !run) return;
    const show = (input, value) => {
      if (document.activeElement !== input) input.value = value ? numberText(value) : "";
    };
    show(this.stop, run.stop);
    show(this.tolerance, run.tolerance);
    show(this.step, app.settings.step ?? run.step);
    const adaptive = app.model.solvers?.find((solver) => solver.name === run.solver)?.adaptive;
    this.tolerance.parentElement.hidden = adaptive === false;
    this.step.placeholder = adaptive ? "chosen" : "";
    this.solver.options[0].textContent = run.solver && !app.settings.solver ? `${run.solver} (model)` : "as the model says";
  }

  showPins() {
    this.pins.replaceChildren(
      ...app.pins.map((pin) =>
        element(
          "div.pin",
          {},
          icon(icons.pin),
          element("span.name", { title: pin.label }, pin.label),
          element("button.chip-close", {
            type: "button",
            "aria-label": `Unpin ${pin.label}`,
            onclick: () => {
              app.pins = app.pins.filter((other) => other !== pin);
              emit("pins");
            },
          }, icon(icons.close)),
        ),
      ),
    );
  }
}

const lastName = (name) => name.slice(name.lastIndexOf(".") + 1);
