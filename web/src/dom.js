// dom.js - elements in one line each.

/** element("button.wide", {title: "..."}, child, "text") */
export function element(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const made = document.createElement(tag || "div");
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** a drawing of one path in a square of 16 */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

export const icons = {
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  back: "M11.5 3v10L5 8zM3.5 3h1.5v10H3.5z",
  forward: "M4.500 3v10L11 8zM11 3h1.500v10H11z",
  loop: "M8 2.500a5.500 5.500 0 1 1-5.300 4h1.600A4 4 0 1 0 8 4v2L4.500 3.300 8 .8z",
  fit: "M2 2h4v1.500H3.500V6H2zM10 2h4v4h-1.500V3.500H10zM2 10h1.500v2.500H6V14H2zM12.500 10H14v4h-4v-1.500h2.500z",
  pin: "M5 1.500h6v1.200l-1 .8v3.700l2 1.800v1.300H8.700V14L8 15l-.7-1v-3.700H4V9l2-1.800V3.500l-1-.8z",
  close: "M4 3l4 4 4-4 1 1-4 4 4 4-1 1-4-4-4 4-1-1 4-4-4-4z",
  theme: "M8 1.500a6.500 6.500 0 1 0 0 13zM8 3a5 5 0 0 1 0 10z",
  search: "M7 2a5 5 0 0 1 4 8l3.200 3.200-1 1L10 11a5 5 0 1 1-3-9m0 1.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7",
  reset: "M8 3a5 5 0 1 1-4.800 3.600h1.600A3.500 3.500 0 1 0 8 4.500V7L4 3.700 8 .5z",
  download: "M7.200 2h1.600v6l2.200-2.200 1.100 1.100L8 11 3.900 6.900 5 5.800 7.200 8zM3 12.500h10V14H3z",
  more: "M3 6.500a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3m5 0a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3m5 0a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3",
  plus: "M7.200 3h1.600v4.200H13v1.600H8.800V13H7.200V8.800H3V7.200h4.200z",
  warning: "M8 1.800l6.700 12H1.300zM7.200 6v4h1.600V6zm0 5v1.500h1.600V11z",
  trail: "M2 12.500C4 12.500 4 4 8 4s3 6 6 6v1.500C9.500 11.500 10 5.500 8 5.500S6 14 2 14z",
  arrow: "M2 8.800V7.200h7.500V4L14 8l-4.500 4V8.800z",
  follow: "M8 1.500v2a4.500 4.500 0 0 1 4.500 4.500h2v0a6.500 6.500 0 0 1-13 0h2A4.500 4.500 0 0 1 8 3.500zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4",
  help: "M8 1.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13m0 1.500a5 5 0 1 0 0 10A5 5 0 0 0 8 3m-.8 7.800h1.600v1.400H7.200zM8 4c1.600 0 2.600.9 2.600 2.200 0 1.500-1.800 1.700-1.800 3.300H7.200c0-2.200 1.800-2.400 1.800-3.300 0-.5-.4-.8-1-.8s-1.100.4-1.100 1.100H5.400C5.400 5 6.400 4 8 4",
  label: "M2 3h12v2.500h-1.500v-1h-3.700v7H10V13H6v-1.500h1.200v-7H3.500v1H2z",
};

/** a button with a picture; the title is also what a screen reader says */
export function iconButton(name, title, onclick, attributes = {}) {
  return element("button.tool", { type: "button", title, "aria-label": title, onclick, ...attributes }, icon(icons[name]));
}
