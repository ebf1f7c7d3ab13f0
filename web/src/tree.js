// tree.js - the components and their variables: units, values at the cursor, search.
import { app, emit, on, select } from "./store.js";
import { element, icon, icons } from "./dom.js";
import { numberText, unitText } from "./format.js";

const MAX_FOUND = 300;
const KINDS = ["state", "derivative", "own", "observable", "unknown", "crossing", "signal", "potential", "flow", "parameter"];

/** "crab.frame_a.x": ["crab", "frame_a", "x"]; "der(crab.s)": ["crab", "der(s)"] */
export function pathOf(name) {
  const inner = /^der\((.*)\)$/.exec(name);
  const parts = (inner ? inner[1] : name).split(/\.(?![^[]*\])/);
  if (inner) parts.push(`der(${parts.pop()})`);
  return parts;
}

/** elements of one array in the order of their indices, at the place of the first; all else as it is */
function byIndex(children) {
  const arrays = new Map();
  for (const node of children.values()) {
    const [, array, index] = node.name.match(/^(.*)\[([\d,]+)\]$/) ?? [null, node.name, "0"];
    if (!arrays.has(array)) arrays.set(array, []);
    arrays.get(array).push({ node, index: index.split(",").map(Number) });
  }
  const compare = (a, b) => a.index.reduce((order, i, k) => order || i - b.index[k], 0);
  return new Map([...arrays.values()].flatMap((group) => group.sort(compare).map(({ node }) => [node.name, node])));
}

/** nodes {name, path, children: Map, leaves: [index]} */
export function buildTree(variables) {
  const root = { name: "", path: "", children: new Map(), leaves: [] };
  variables.forEach((variable, index) => {
    const parts = pathOf(variable.name);
    let node = root;
    for (const part of parts.slice(0, -1)) {
      const path = node.path ? `${node.path}.${part}` : part;
      if (!node.children.has(part)) node.children.set(part, { name: part, path, children: new Map(), leaves: [] });
      node = node.children.get(part);
    }
    node.leaves.push({ name: parts.at(-1), index });
  });
  const sort = (node) => {
    node.leaves.sort((a, b) => KINDS.indexOf(variables[a.index].kind) - KINDS.indexOf(variables[b.index].kind));
    node.children = byIndex(node.children);
    node.children.forEach(sort);
  };
  sort(root);
  return root;
}

export class Tree {
  constructor(host, plots) {
    this.plots = plots;
    this.open = new Set();
    this.search = element("input", { type: "search", placeholder: "Search variables", "aria-label": "Search variables", spellcheck: "false", id: "search" });
    this.list = element("div.tree", { role: "tree", "aria-label": "Components and variables" });
    host.append(element("label.search", {}, icon(icons.search), this.search), this.list);
    this.search.addEventListener("input", () => this.render());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") this.focusRow(this.rows[0], event);
      if (event.key === "Escape") {
        this.search.value = "";
        this.render();
      }
    });
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("scroll", () => this.need());
    on("model", () => this.takeModel());
    on("run", () => this.showValues());
    on("time", () => this.showValues());
    on("plots", () => this.render());
    on("select", () => this.reveal());
  }

  takeModel() {
    this.root = buildTree(app.model.variables);
    if (!this.started) {
      const rows = [...this.root.children.values()];
      const withStates = rows.filter((node) => node.leaves.some(({ index }) => app.model.variables[index].kind === "state"));
      for (const node of withStates.slice(0, 6)) this.open.add(node.path);
      if (rows.length === 1) this.open.add(rows[0].path);
    }
    this.started = true;
    this.render();
  }

  render() {
    if (!this.root) return;
    const text = this.search.value.trim().toLowerCase();
    const scroll = this.list.scrollTop;
    const focused = document.activeElement?.dataset?.key;
    this.rows = [];
    if (text) this.renderFound(text);
    else this.renderNode(this.root, 0);
    this.list.replaceChildren(...this.rows.map((row) => row.element));
    this.list.scrollTop = scroll;
    const again = focused && this.rows.find((row) => row.element.dataset.key === focused);
    (again ?? this.rows[0])?.element.setAttribute("tabindex", "0");
    if (again) again.element.focus();
    this.need();
    this.showValues();
  }

  renderFound(text) {
    const words = text.split(/\s+/);
    let n = 0;
    app.model.variables.forEach((variable, index) => {
      const whole = `${variable.name} ${variable.text ?? ""}`.toLowerCase();
      if (n > MAX_FOUND || !words.every((word) => whole.includes(word))) return;
      if (n++ < MAX_FOUND) this.addLeaf({ name: variable.name, index }, 0);
    });
    if (n === 0) this.addNote(`Nothing has "${text}" in its name or text.`);
    if (n > MAX_FOUND) this.addNote(`The first ${MAX_FOUND} are shown: type more.`);
  }

  addNote(text) {
    this.rows.push({ element: element("div.note", {}, text) });
  }

  renderNode(node, depth) {
    for (const child of node.children.values()) {
      const open = this.open.has(child.path);
      this.addBranch(child, depth, open);
      if (open) this.renderNode(child, depth + 1);
    }
    for (const leaf of node.leaves) this.addLeaf(leaf, depth);
  }

  addBranch(node, depth, open) {
    const part = app.run?.parts?.find((p) => p.name === node.path);
    const row = element(
      "div.row.branch",
      { role: "treeitem", tabindex: "-1", "aria-expanded": open, "aria-level": depth + 1, "data-key": `+${node.path}`, "data-depth": depth },
      element("span.twist", { "aria-hidden": "true" }, open ? "▾" : "▸"),
      element("span.name", {}, node.name),
      part ? element("span.kind", {}, part.look) : null,
    );
    row.classList.toggle("selected", node.path === app.selected);
    row.addEventListener("click", () => {
      this.toggle(node.path);
      select(node.path);
    });
    this.indent(row, depth);
    this.rows.push({ element: row, node });
  }

  addLeaf(leaf, depth) {
    const variable = app.model.variables[leaf.index];
    const value = element("span.value");
    const row = element(
      "div.row.leaf",
      {
        role: "treeitem",
        tabindex: "-1",
        draggable: !variable.constant,
        "aria-level": depth + 1,
        "data-key": variable.name,
        title: `${variable.name}${variable.text ? `: ${variable.text}` : ""}\n${variable.kind}${variable.constant ? "" : " · Enter, double-click or drag into a plot"}`,
      },
      element("span.name", {}, leaf.name),
      value,
      element("span.unit", {}, unitText(variable.unit)),
    );
    row.classList.add(variable.kind);
    row.classList.toggle("plotted", this.plots.has(variable.name));
    row.addEventListener("dblclick", () => this.choose(variable));
    row.addEventListener("dragstart", (event) => {
      event.dataTransfer.setData("text/x-lieder", variable.name);
      event.dataTransfer.setData("text/plain", variable.name);
      event.dataTransfer.effectAllowed = "copy";
    });
    this.indent(row, depth);
    this.rows.push({ element: row, variable, index: leaf.index, value });
  }

  indent(row, depth) {
    row.style.paddingLeft = `${10 + 14 * depth}px`;
  }

  toggle(path) {
    if (this.open.has(path)) this.open.delete(path);
    else this.open.add(path);
    this.render();
  }

  /** Enter: into a plot, or out of it */
  choose(variable) {
    if (variable.constant) return;
    const panel = this.plots.panels.find((p) => p.names.includes(variable.name));
    if (panel) panel.drop(variable.name);
    else this.plots.add(variable.name);
  }

  focusRow(row, event) {
    if (!row?.element.hasAttribute("role")) return;
    event?.preventDefault();
    for (const other of this.rows) if (other.element.hasAttribute("tabindex")) other.element.setAttribute("tabindex", "-1");
    row.element.setAttribute("tabindex", "0");
    row.element.focus();
  }

  key(event) {
    const at = this.rows.findIndex((row) => row.element === document.activeElement);
    const row = this.rows[at];
    if (!row) return;
    if (event.key === "ArrowDown") this.focusRow(this.rows[at + 1], event);
    else if (event.key === "ArrowUp") this.focusRow(at === 0 ? null : this.rows[at - 1], event);
    else if (event.key === "ArrowRight" && row.node && !this.open.has(row.node.path)) this.toggle(row.node.path);
    else if (event.key === "ArrowLeft" && row.node && this.open.has(row.node.path)) this.toggle(row.node.path);
    else if (event.key === "Enter" && row.node) this.toggle(row.node.path);
    else if (event.key === "Enter" && row.variable) this.choose(row.variable);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** the component that was chosen in the scene is opened and scrolled to */
  reveal() {
    if (!this.root) return;
    if (app.selected && !this.search.value) {
      const parts = app.selected.split(/\.(?![^[]*\])/);
      for (let n = 1; n <= parts.length; n++) this.open.add(parts.slice(0, n).join("."));
    }
    this.render();
    this.list.querySelector(".row.selected")?.scrollIntoView({ block: "nearest" });
  }

  visible() {
    const top = this.list.scrollTop;
    const bottom = top + this.list.clientHeight;
    return (this.rows ?? []).filter(({ element: e, variable }) => variable && e.offsetTop + e.offsetHeight >= top && e.offsetTop <= bottom);
  }

  /** the variables whose values are in sight */
  columns() {
    return this.visible().map((row) => row.index);
  }

  need() {
    emit("need");
  }

  showValues() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      for (const row of this.visible()) {
        const value = app.run?.value(row.index, app.t);
        const text = value === undefined ? "" : numberText(value, 5);
        if (row.value.textContent !== text) row.value.textContent = text;
        row.element.dataset.value = value === undefined ? "" : String(value);
      }
    });
  }
}
