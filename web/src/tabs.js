// tabs.js - what the middle of the page shows: motion, diagram, eigenvalues, sweep. One at a time; keys 1 to 4.
import { app, emit } from "./store.js";
import { element } from "./dom.js";

export class Tabs {
  /** views: [{id, title, root, show()}]; show is called when the view comes into sight */
  constructor(host, views) {
    this.views = views;
    this.buttons = views.map((view, i) =>
      element(
        "button.tab",
        { type: "button", role: "tab", id: `tab-${view.id}`, "aria-controls": `view-${view.id}`, title: `${view.title} (${i + 1})`, onclick: () => this.choose(view.id) },
        view.title,
      ),
    );
    const list = element("div.tabs", { role: "tablist", "aria-label": "Views of the model" }, ...this.buttons);
    list.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const shown = views.filter((v) => !v.absent);
      const at = shown.findIndex((v) => v.id === app.tab);
      const next = shown[(at + step + shown.length) % shown.length];
      this.choose(next.id);
      this.buttons[views.indexOf(next)].focus();
    });
    host.append(list);
    for (const view of views) {
      view.root.id = `view-${view.id}`;
      view.root.setAttribute("role", "tabpanel");
      view.root.setAttribute("aria-labelledby", `tab-${view.id}`);
      host.append(view.root);
    }
    this.choose(views[0].id);
  }

  choose(id) {
    const chosen = this.views.find((view) => view.id === id && !view.absent);
    if (!chosen) return;
    app.tab = id;
    this.views.forEach((view, i) => {
      view.root.hidden = view !== chosen;
      this.buttons[i].setAttribute("aria-selected", view === chosen);
      this.buttons[i].tabIndex = view === chosen ? 0 : -1;
    });
    emit("tab");
    chosen.show?.();
  }

  chooseNumber(n) {
    const shown = this.views[n - 1];
    if (shown) this.choose(shown.id);
  }

  /** a view that this model or page cannot have */
  setAbsent(id, absent) {
    const at = this.views.findIndex((view) => view.id === id);
    this.views[at].absent = absent;
    this.buttons[at].hidden = absent;
    if (absent && app.tab === id) this.choose(this.views.find((view) => !view.absent).id);
  }
}
