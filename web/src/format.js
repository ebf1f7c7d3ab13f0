// format.js - numbers and units as people read them.

/** "m/s2" as "m/s²", "N.m" as "N·m", "1" as nothing */
export function unitText(unit) {
  if (!unit || unit === "1") return "";
  const signs = { 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹", "-": "⁻" };
  return unit
    .replace(/([A-Za-z)])(-?\d+)/g, (_, letter, digits) => letter + [...digits].map((d) => signs[d]).join(""))
    .replace(/\./g, "·");
}

/** six digits at most, no longer than ten signs, a true minus */
export function numberText(value, digits = 6) {
  if (value === undefined) return "";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text = size >= 1e6 || size < 1e-4 ? value.toExponential(Math.min(digits - 2, 4)) : value.toPrecision(digits);
  if (text.includes("e")) text = text.replace(/\.?0+e/, "e").replace("e+", "e");
  else if (text.includes(".")) text = text.replace(/\.?0+$/, "");
  return text.replace(/-/g, "−");
}

/** as it is typed and sent: every digit that matters, none that does not */
export function plainNumber(value) {
  return String(Number(value.toPrecision(12)));
}

/** what a person typed, with a decimal point; NaN if it is no number */
export function readNumber(text) {
  const clean = text.trim().replace(/−/g, "-");
  return clean === "" ? NaN : Number(clean);
}

/** distance of marks on an axis: 1, 2 or 5 times a power of ten, at least `least` */
export function niceStep(least) {
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least * 0.999999) return factor * power;
  return 10 * power;
}
