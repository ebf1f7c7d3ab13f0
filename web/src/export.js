// export.js - what a plot shows, as a file: SVG and PNG to look at, CSV to compute with.
import { app } from "./store.js";
import { trace } from "./curve.js";
import { niceStep, numberText } from "./format.js";

function save(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const fileName = (panel, ending) => `${app.model.title}_${panel.names[0].replace(/[^A-Za-z0-9_]+/g, "_")}.${ending}`;

/** the numbers of the panel as rows, with all their digits */
export function csvOf(panel) {
  const quote = (text) => `"${text.replaceAll('"', '""')}"`;
  const names = panel.over ? [panel.over, ...panel.names] : panel.names;
  const columns = names.map((name) => app.run.column(app.model.byName.get(name)));
  const lines = [["time", ...names].map(quote).join(",")];
  for (let row = 0; row < app.run.rows; row++) lines.push([app.run.time[row], ...columns.map((column) => column[row])].join(","));
  return lines.join("\n") + "\n";
}

export function exportCsv(panel) {
  save(fileName(panel, "csv"), "text/csv", csvOf(panel));
}

export function exportSvg(panel) {
  save(fileName(panel, "svg"), "image/svg+xml", svgOf(panel));
}

/** the drawing of the SVG, three times as fine */
export async function exportPng(panel) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svgOf(panel));
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 3 * image.width;
  canvas.height = 3 * image.height;
  const c = canvas.getContext("2d");
  c.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(fileName(panel, "png"), "image/png", blob));
}

const escape = (text) => text.replace(/[<>&"]/g, (c) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" })[c]);

/** marks of an axis: [value, text] */
function marks([from, to], log, room) {
  const list = [];
  if (log) {
    for (let k = Math.ceil(Math.log10(from)); 10 ** k <= to; k++) list.push([10 ** k, numberText(10 ** k)]);
    if (list.length >= 2) return list;
  }
  const step = niceStep((to - from) / room);
  for (let k = Math.ceil(from / step); k * step <= to * (1 + 1e-12); k++) list.push([k * step, numberText(Number((k * step).toPrecision(10)))]);
  return list;
}

/** the panel on white paper, whatever the theme is */
export function svgOf(panel, width = 720, height = 320) {
  const box = { left: 64, top: 34, right: width - 16, bottom: height - 44 };
  const x = panel.xLimits();
  const y = panel.yLimits();
  const up = panel.logY ? Math.log10 : (v) => v;
  const logX = panel.over && panel.logX;
  const along = logX ? Math.log10 : (v) => v;
  const sx = (v) => box.left + ((along(v) - along(x[0])) / (along(x[1]) - along(x[0]))) * (box.right - box.left);
  const sy = (v) => box.bottom - ((up(v) - up(y[0])) / (up(y[1]) - up(y[0]))) * (box.bottom - box.top);
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333"];
  const dashes = ["", "7 4", "2 3", "9 3 2 3"];
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<clipPath id="c"><rect x="${box.left}" y="${box.top}" width="${box.right - box.left}" height="${box.bottom - box.top}"/></clipPath>`,
  ];
  for (const [value, text] of marks(x, logX, 8)) {
    const px = sx(value).toFixed(2);
    out.push(`<path d="M${px} ${box.top}V${box.bottom}" stroke="#e4e6ea"/><text x="${px}" y="${box.bottom + 15}" text-anchor="middle" fill="#444">${text}</text>`);
  }
  for (const [value, text] of marks(y, panel.logY, 5)) {
    const py = sy(value).toFixed(2);
    out.push(`<path d="M${box.left} ${py}H${box.right}" stroke="#e4e6ea"/><text x="${box.left - 6}" y="${+py + 4}" text-anchor="end" fill="#444">${text}</text>`);
  }
  out.push(`<rect x="${box.left}" y="${box.top}" width="${box.right - box.left}" height="${box.bottom - box.top}" fill="none" stroke="#888"/><g clip-path="url(#c)" fill="none" stroke-linejoin="round">`);
  for (const curve of panel.shown) {
    let d = "";
    const add = (letter) => (vx, vy) => (d += (panel.logY && vy <= 0) || (logX && vx <= 0) ? "" : `${d ? letter : "M"}${sx(vx).toFixed(2)} ${sy(vy).toFixed(2)}`);
    if (panel.over) curve.x.forEach((v, i) => Number.isFinite(v + curve.y[i]) && add("L")(v, curve.y[i]));
    else trace(curve.x, curve.y, x[0], x[1], 2 * (box.right - box.left), add("M"), add("L"));
    const dash = dashes[curve.dash] ? ` stroke-dasharray="${dashes[curve.dash]}"` : "";
    out.push(`<path d="${d}" stroke="${colours[curve.colour]}" stroke-width="${curve.pinned ? 0.9 : 1.6}" opacity="${curve.pinned ? 0.6 : 1}"${dash}/>`);
  }
  out.push("</g>");
  let at = box.left;
  panel.names.forEach((name, i) => {
    const dash = dashes[Math.floor(i / 7) % 4];
    out.push(`<path d="M${at} 18h22" stroke="${colours[i % 7]}" stroke-width="2"${dash ? ` stroke-dasharray="${dash}"` : ""}/><text x="${at + 27}" y="22" fill="#222">${escape(name)}</text>`);
    at += 45 + 6.4 * name.length;
  });
  out.push(`<text x="${(box.left + box.right) / 2}" y="${height - 10}" text-anchor="middle" fill="#222">${escape(panel.xText())}</text>`);
  out.push(`<text transform="translate(14 ${(box.top + box.bottom) / 2}) rotate(-90)" text-anchor="middle" fill="#222">${escape(panel.axisText())}</text></svg>`);
  return out.join("\n");
}
