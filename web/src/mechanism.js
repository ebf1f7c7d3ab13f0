// mechanism.js - where the parts of a run are: poses of their ports in a row, and how large the whole is. The rules
// are those of src/cli/mechanism.c and draw.c.
import { valueAt } from "./run.js";

const SAMPLES = 2000; // rows that are measured

export class Mechanism {
  constructor(run) {
    this.run = run;
    this.planar = run.planar;
    const heaviest = run.parts.reduce((most, part) => Math.max(most, part.mass ?? 0), 0);
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
      reach: [0, 1].map((port) => Math.max(0, ...(part.outlines?.[port] ?? []).map(([x, y]) => Math.hypot(x, y)))),
      hidden: !!part.hidden || (part.mass === 0 && (part.look === "body" || part.look === "block")),
    }));
    this.data = null;
    this.findLanes();
  }

  /** members of a fleet, which stand in a grid instead of on top of each other */
  findLanes() {
    const ordinals = new Map();
    for (const p of this.parts) {
      p.dx = p.dy = 0;
      if (p.lane === undefined) continue;
      if (!ordinals.has(p.lane)) ordinals.set(p.lane, ordinals.size);
      p.ordinal = ordinals.get(p.lane);
    }
    this.lanes = ordinals.size;
  }

  /** the grid: cells as large as what one member needs at most, about twice as wide as high */
  spread() {
    if (this.lanes < 2) return;
    const one = this.extent((p) => p.lane !== undefined);
    const width = 1.25 * (one.x[1] - one.x[0]) || 1;
    const height = 1.35 * (this.planar ? one.y[1] - one.y[0] : width / 8) || 1;
    const columns = Math.max(1, Math.round(Math.sqrt((this.lanes * height * 2) / width)));
    for (const p of this.parts) {
      if (p.ordinal === undefined) continue;
      p.dx = (p.ordinal % columns) * width;
      p.dy = -Math.floor(p.ordinal / columns) * height;
    }
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
      p.x0 = get(c[0]) + p.dx;
      p.y0 = get(c[1]) + p.dy;
      p.phi0 = get(c[2]);
      p.x1 = get(c[3]) + p.dx;
      p.y1 = get(c[4]) + p.dy;
      p.phi1 = get(c[5]);
    });
    for (const p of this.parts) if (p.linear) this.placeLinear(p);
  }

  /** along the axis of a sliding joint, or along a line */
  placeLinear(p) {
    const joint = p.joint === undefined ? null : this.parts[p.joint];
    [p.x0, p.y0] = joint ? onAxis(joint, p.s0) : [p.s0 + p.dx, p.dy];
    [p.x1, p.y1] = joint ? onAxis(joint, p.s1) : [p.s1 + p.dx, p.dy];
    p.phi0 = p.phi1 = joint ? joint.phi0 : 0;
    if (p.thread) {
      p.slack = p.s1;
      Object.assign(p, { x0: joint.x0, y0: joint.y0, x1: joint.x1, y1: joint.y1 });
    }
  }

  /** calls `see` with the parts at times that are spread over the run */
  sample(see) {
    const most = Math.max(2, Math.min(SAMPLES, Math.floor(2e6 / this.parts.length)));
    const n = Math.min(this.run.rows, most);
    for (let k = 0; k < n; k++) {
      this.place({ row: n < 2 ? 0 : Math.floor((k * (this.run.rows - 1)) / (n - 1)), share: 0 });
      see();
    }
  }

  /** bounds of the ports over the run, of the parts that count */
  extent(counts) {
    const bounds = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    const widen = (x, y) => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      if (x < bounds.x[0]) bounds.x[0] = x;
      if (x > bounds.x[1]) bounds.x[1] = x;
      if (y < bounds.y[0]) bounds.y[0] = y;
      if (y > bounds.y[1]) bounds.y[1] = y;
    };
    this.sample(() => {
      for (const p of this.parts) {
        if (p.hidden || !counts(p)) continue;
        widen(p.x0, p.y0);
        if (p.at.length > 3) widen(p.x1, p.y1);
        for (const [reach, x, y] of [[p.reach[0], p.x0, p.y0], [p.reach[1], p.x1, p.y1]]) {
          if (!(reach > 0)) continue;
          widen(x - reach, y - reach);
          widen(x + reach, y + reach);
        }
      }
    });
    return bounds;
  }

  /** bounds of all, ways of sliding joints, and the unit of the symbols: a 45th of one mechanism */
  measure() {
    const size = ({ x, y }) => Math.max(x[1] - x[0], y[1] - y[0]);
    let bounds = this.extent(() => true);
    const extent = size(bounds);
    this.sample(() => {
      for (const p of this.parts) if (p.axis) widenSpan(p);
    });
    this.unit = extent > 0 ? extent / 45 : 0.1;
    for (const p of this.parts) p.unit = this.unit;
    if (this.lanes > 1) {
      this.spread();
      bounds = this.extent(() => true);
    }
    this.bounds = Number.isFinite(size(bounds)) ? bounds : { x: [-1, 1], y: [-1, 1] };
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

/** the way of a sliding joint, or of a shape along its wall, so far */
function widenSpan(p) {
  const [ex, ey] = onAxis(p, 1);
  const dx = ex - p.x0;
  const dy = ey - p.y0;
  const x = p.x1 - p.x0;
  const y = p.y1 - p.y0;
  const s = p.look === "contact" ? x * dy - y * dx : x * dx + y * dy;
  p.span = [Math.min(p.span[0], s), Math.max(p.span[1], s)];
}
