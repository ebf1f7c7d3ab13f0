// diagram.js - the model's diagram: the picture of lieder draw --diagram, to move about in. A click on a component
// leads to its variables and shows where it is declared.
import { app, on, select } from "./store.js";
import { element, iconButton } from "./dom.js";


export class Diagram {
  constructor(root) {
    this.root = root;
    this.paper = element("div.diagram-paper");
    this.info = element("div.diagram-info", { role: "status" });
    this.empty = element("div.empty");
    const tools = element("div.scene-tools", {}, iconButton("fit", "Show the whole diagram (F)", () => this.fit()));
    root.append(this.paper, this.info, tools, this.empty);
    this.listen();
    on("select", () => this.mark());
    new ResizeObserver(() => this.fitted && this.fit()).observe(this.paper);
  }

  /** fetched once; parameters do not move components */
  async show() {
    if (this.asked) return this.fitted && this.fit();
    this.asked = true;
    try {
      this.take(await app.source.diagram());
    } catch (error) {
      this.empty.textContent = error.message;
      this.asked = false;
    }
    return undefined;
  }

  take(text) {
    const made = text ? new DOMParser().parseFromString(text, "image/svg+xml").documentElement : null;
    if (!made || made.nodeName !== "svg") {
      this.empty.textContent = "There is no diagram: the model has no components, or the file of results came without --model.";
      return;
    }
    this.svg = document.importNode(made, true);
    for (const name of ["width", "height"]) this.svg.removeAttribute(name);
    this.svg.setAttribute("role", "img");
    this.whole = this.svg.getAttribute("viewBox").split(" ").map(Number);
    this.paper.replaceChildren(this.svg);
    for (const group of this.svg.querySelectorAll(".component")) {
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.setAttribute("aria-label", group.dataset.component);
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.stopPropagation();
        this.choose(group);
      });
    }
    this.fit();
    this.mark();
  }

  // ---------------------------------------------------------------- view

  setView(box) {
    this.box = box;
    this.svg?.setAttribute("viewBox", box.join(" "));
  }

  /** all of it, no larger than four pixels a unit and a half */
  fit() {
    const [w, h] = [this.paper.clientWidth, this.paper.clientHeight];
    if (!this.svg || !w || !h) return;
    const [x, y, width, height] = this.whole;
    const scale = Math.min(w / width, (h - 60) / height, 6);
    const above = 44 / scale; // the tabs stand there
    this.fitted = true;
    this.setView([x + width / 2 - w / scale / 2, y + height / 2 - (h - 40) / scale / 2 - above / 2, w / scale, h / scale]);
  }

  zoom(factor, px, py) {
    const [x, y, w, h] = this.box;
    const [u, v] = [px / this.paper.clientWidth, py / this.paper.clientHeight];
    const grown = Math.min(Math.max(w * factor, 5), 50 * this.whole[2]) / w;
    this.fitted = false;
    this.setView([x + u * w * (1 - grown), y + v * h * (1 - grown), w * grown, h * grown]);
  }

  listen() {
    const place = (event) => {
      const box = this.paper.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.paper.addEventListener(
      "wheel",
      (event) => {
        if (!this.svg) return;
        event.preventDefault();
        this.zoom(Math.exp(event.deltaY * 0.0015), ...place(event));
      },
      { passive: false },
    );
    let from = null;
    this.paper.addEventListener("pointerdown", (event) => {
      if (!this.svg || event.button !== 0) return;
      from = { at: place(event), box: [...this.box], moved: false, target: event.target };
      this.paper.setPointerCapture(event.pointerId);
    });
    this.paper.addEventListener("pointermove", (event) => {
      if (!from) return;
      const [px, py] = place(event);
      const [dx, dy] = [px - from.at[0], py - from.at[1]];
      from.moved ||= Math.hypot(dx, dy) > 3;
      if (!from.moved) return;
      const unit = from.box[2] / this.paper.clientWidth;
      this.fitted = false;
      this.setView([from.box[0] - dx * unit, from.box[1] - dy * unit, from.box[2], from.box[3]]);
    });
    this.paper.addEventListener("pointerup", () => {
      if (from && !from.moved) this.choose(from.target.closest?.(".component, .connection"));
      from = null;
    });
    this.paper.addEventListener("dblclick", () => this.fit());
  }

  // ---------------------------------------------------------------- what is chosen

  choose(group) {
    this.chosen = group?.classList.contains("connection") ? group : null;
    select(group?.dataset.component ? this.nameInTree(group.dataset.component) : null);
    this.mark();
  }

  /** an array of components is one icon: its first element is what is selected */
  nameInTree(path) {
    const known = app.model?.variables.find((v) => v.name.startsWith(`${path}.`) || v.name.startsWith(`${path}[`) || v.name.startsWith(`der(${path}.`));
    const index = known?.name.match(new RegExp(`^${path.replace(/[^A-Za-z0-9_]/g, "\\$&")}(\\[[^\\]]*\\])`));
    return path + (index?.[1] ?? "");
  }

  mark() {
    if (!this.svg) return;
    for (const old of this.svg.querySelectorAll(".chosen")) old.classList.remove("chosen");
    const path = app.selected?.split(/[.[]/)[0];
    const group = this.chosen ?? (path ? this.svg.querySelector(`[data-component="${CSS.escape(path)}"]`) : null);
    group?.classList.add("chosen");
    if (app.selected && this.chosen) this.chosen = null;
    this.info.replaceChildren();
    this.info.hidden = !group;
    if (!group) return;
    const [name, ...text] = (group.querySelector("title")?.textContent ?? "").split("\n");
    const [own, type] = name.split(" : ");
    this.info.append(element("strong", {}, own), element("span.type", {}, type ?? ""), element("span", {}, text.join(" ")));
    if (group.dataset.line) this.info.append(element("code", { title: `${group.dataset.file}:${group.dataset.line}` }, `${group.dataset.file}:${group.dataset.line}  ${group.dataset.source}`));
  }
}

