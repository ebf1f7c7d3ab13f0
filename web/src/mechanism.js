// mechanism.js - where the parts of a run are: poses of their ports in a row, and how large the whole is. The rules
// are those of src/cli/mechanism.c and draw.c.
import { valueAt } from "./run.js";

const SAMPLES = 2000; // rows that are measured

export class Mechanism {
  constructor(run) {
    this.run = run;
    this.planar = run.planar;
    const heaviest = Math.max(0, ...run.parts.map((part) => part.mass ?? 0));
    this.parts = run.parts.map((part) => ({
      ...part,
      x0: 0,
      y0: 0,
      phi0: 0,
      x1: 0,
      y1: 0,
      phi1: 0,
      slack: 0,
      unit: 0.1,
      share: heaviest > 0 ? (part.mass ?? 0) / heaviest : 0,
      span: [0, 0],
      hidden: !!part.hidden || (part.mass === 0 && (part.look === "body" || part.look === "block")),
    }));
    this.data = null;
  }

  /** the variables that are needed */
  static columns(run) {
    const wanted = new Set();
    for (const part of run.parts) for (const index of part.at) if (index >= 0) wanted.add(index);
    return wanted;
  }

  /** the columns, part by part; false: they have not all come */
  fetch() {
    if (this.data && this.rows === this.run.rows) return true;
    const columns = this.run.parts.map((part) => part.at.map((index) => (index < 0 ? null : this.run.column(index))));
    if (columns.some((list) => list.includes(undefined))) return false;
    this.data = columns;
    this.rows = this.run.rows;
    return true;
  }

  /** all poses at a place in the rows */
  place(at) {
    const get = (column) => (column ? valueAt(column, at) : 0);
    this.parts.forEach((p, i) => {
      const c = this.data[i];
      if (p.linear) {
        p.s0 = get(c[0]);
        p.s1 = get(c[3]);
        return;
      }
      p.x0 = get(c[0]);
      p.y0 = get(c[1]);
      p.phi0 = get(c[2]);
      p.x1 = get(c[3]);
      p.y1 = get(c[4]);
      p.phi1 = get(c[5]);
    });
    for (const p of this.parts) if (p.linear) this.placeLinear(p);
  }

  /** along the axis of a sliding joint, or along a line */
  placeLinear(p) {
    const joint = p.joint === undefined ? null : this.parts[p.joint];
    [p.x0, p.y0] = joint ? onAxis(joint, p.s0) : [p.s0, 0];
    [p.x1, p.y1] = joint ? onAxis(joint, p.s1) : [p.s1, 0];
    p.phi0 = p.phi1 = joint ? joint.phi0 : 0;
    if (p.thread) {
      p.slack = p.s1;
      Object.assign(p, { x0: joint.x0, y0: joint.y0, x1: joint.x1, y1: joint.y1 });
    }
  }

  /** bounds of all ports over the run, ways of sliding joints, and the unit of the symbols */
  measure() {
    const bounds = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    const widen = (x, y) => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      bounds.x = [Math.min(bounds.x[0], x), Math.max(bounds.x[1], x)];
      bounds.y = [Math.min(bounds.y[0], y), Math.max(bounds.y[1], y)];
    };
    const n = Math.min(this.run.rows, SAMPLES);
    for (let k = 0; k < n; k++) {
      this.place({ row: n < 2 ? 0 : Math.floor((k * (this.run.rows - 1)) / (n - 1)), share: 0 });
      for (const p of this.parts) {
        if (!p.hidden) {
          widen(p.x0, p.y0);
          if (p.at.length > 3) widen(p.x1, p.y1);
        }
        if (p.axis) widenSpan(p);
      }
    }
    const extent = Math.max(bounds.x[1] - bounds.x[0], bounds.y[1] - bounds.y[0]);
    this.unit = extent > 0 ? extent / 45 : 0.1;
    for (const p of this.parts) p.unit = this.unit;
    this.bounds = Number.isFinite(extent) ? bounds : { x: [-1, 1], y: [-1, 1] };
  }
}

/** the point of a joint's axis with this coordinate */
function onAxis(joint, s) {
  const c = Math.cos(joint.phi0);
  const n = Math.sin(joint.phi0);
  const x = s * joint.axis[0];
  const y = s * joint.axis[1];
  return [joint.x0 + c * x - n * y, joint.y0 + n * x + c * y];
}

/** the way of a sliding joint, or of a disc along its wall, so far */
function widenSpan(p) {
  const [ex, ey] = onAxis(p, 1);
  const dx = ex - p.x0;
  const dy = ey - p.y0;
  const x = p.x1 - p.x0;
  const y = p.y1 - p.y0;
  const s = p.look === "contact" ? x * dy - y * dx : x * dx + y * dy;
  p.span = [Math.min(p.span[0], s), Math.max(p.span[1], s)];
}
