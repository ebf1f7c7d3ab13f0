// run.js - one run: time, and the columns that have been fetched so far.

/** reads a message of the program: length, JSON, columns of doubles (src/cli/view.h) */
export function readMessage(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const numbers = (from, n) => new Float64Array(buffer, 4 + length + 8 * from, n);
  const column = (k) => numbers(k * head.rows, head.rows);
  return { head, column, numbers };
}

export class Run {
  constructor(head) {
    Object.assign(this, head);
    this.rows = 0;
    this.time = new Float64Array(0);
    this.columns = new Map(); // index of a variable: Float64Array
  }

  get first() {
    return this.rows ? this.time[0] : 0;
  }

  get last() {
    return this.rows ? this.time[this.rows - 1] : 0;
  }

  /** takes what a message has: more rows, or more columns of the rows that are there */
  take({ head, column }) {
    const { rows, from, columns, parts, time: reached, ...known } = head;
    Object.assign(this, known, { reached });
    if (parts && !this.parts) this.parts = parts;
    if (from + rows < this.rows) return; // older than what is here
    this.time = append(this.time, column(0), from);
    this.rows = this.time.length;
    for (const [index, place] of Object.entries(columns)) {
      const held = this.columns.get(+index) ?? new Float64Array(0);
      if (held.length >= from) this.columns.set(+index, append(held, column(place), from));
    }
  }

  /** rows that all columns have: an answer about some of them may be ahead of the others */
  get complete() {
    let least = this.rows;
    for (const column of this.columns.values()) if (column.length < least) least = column.length;
    return least;
  }

  /** the variables that have the poses of all parts */
  poses() {
    if (!this.poseSet) {
      this.poseSet = new Set();
      for (const part of this.parts ?? []) for (const index of part.at) if (index >= 0) this.poseSet.add(index);
    }
    return this.poseSet;
  }

  /** the number of a variable here: runs of other models have other tables */
  indexOf(name, model) {
    return (this.byName ?? model.byName).get(name);
  }

  /** all rows of a variable; undefined: it has not been fetched */
  column(index) {
    const held = this.columns.get(index);
    if (held) return held.length === this.rows ? held : undefined;
    if (this.constants && index in this.constants) {
      const constant = new Float64Array(this.rows).fill(this.constants[index] ?? NaN);
      if (this.done) this.columns.set(index, constant);
      return constant;
    }
    return undefined;
  }

  /** the last row at or before a time: after an event, where there are two */
  rowAt(t) {
    let low = 0;
    let high = this.rows - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** where a time lies: a row, and the share of the way to the next one */
  placeAt(t) {
    const row = this.rowAt(t);
    const next = row + 1;
    const width = next < this.rows ? this.time[next] - this.time[row] : 0;
    return { row, share: width > 0 ? Math.min(Math.max((t - this.time[row]) / width, 0), 1) : 0 };
  }

  /** a variable at a time: the number of a row, or between two rows on the straight line */
  value(index, t) {
    if (this.constants && index in this.constants) return this.constants[index] ?? NaN;
    const column = this.columns.get(index);
    if (!column || column.length === 0) return undefined;
    return valueAt(column, this.placeAt(t));
  }
}

export function valueAt(column, { row, share }) {
  const here = column[row];
  return share === 0 || row + 1 >= column.length ? here : here + share * (column[row + 1] - here);
}

function append(held, more, from) {
  if (from === 0 || held.length === 0) return more;
  const all = new Float64Array(from + more.length);
  all.set(held.subarray(0, from));
  all.set(more, from);
  return all;
}
