// messages.js - what the program says about a model or a run, as the command line has it: place, line with a caret,
// advice.
import { element, icon, icons } from "./dom.js";

export function messageCard(said) {
  const kind = said.severity ?? said.type;
  const place = said.file ? `${said.file}:${said.line}:${said.column}` : (said.path ?? "");
  const card = element(
    "div.message",
    { role: kind === "error" ? "alert" : "status" },
    icon(icons.warning),
    element("div.message-text", {}, element("strong", {}, `${kind}: `), said.message, place ? element("div.place", {}, place) : null),
  );
  card.classList.add(kind);
  const text = card.querySelector(".message-text");
  if (said.source) {
    const indent = said.source.slice(0, said.column - 1).replace(/[^\t]/g, " ");
    text.append(element("pre", {}, `${said.source}\n${indent}^${"~".repeat(Math.max(0, (said.length ?? 1) - 1))}`));
  }
  if (said.advice) text.append(element("div.advice", {}, said.advice));
  return card;
}

export class Messages {
  constructor(host) {
    this.host = host;
    host.setAttribute("aria-label", "Messages");
  }

  show(list) {
    this.host.replaceChildren(...list.slice(0, 50).map(messageCard));
    this.host.hidden = list.length === 0;
  }

  fail(text) {
    this.show([{ severity: "error", message: text }]);
  }
}
