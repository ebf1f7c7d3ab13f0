// curve.js - long curves as few points: least and greatest value per pixel.
//
// A pyramid has the least and the greatest value of every 16, 256, 4096 ... points, so that a curve of ten million
// points is drawn by reading a few thousand numbers, wherever one looks and however closely.

const FACTOR = 16;
const pyramids = new WeakMap(); // column: levels [{min, max}], the finest first

function pyramid(column) {
  let levels = pyramids.get(column);
  if (levels) return levels;
  levels = [];
  let min = column;
  let max = column;
  while (min.length > 4 * FACTOR) {
    const n = Math.ceil(min.length / FACTOR);
    const low = new Float64Array(n);
    const high = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      let least = Infinity;
      let most = -Infinity;
      for (let i = FACTOR * k; i < Math.min(FACTOR * (k + 1), min.length); i++) {
        if (min[i] < least) least = min[i];
        if (max[i] > most) most = max[i];
      }
      low[k] = least;
      high[k] = most;
    }
    levels.push({ min: low, max: high });
    [min, max] = [low, high];
  }
  pyramids.set(column, levels);
  return levels;
}

/** least and greatest finite value of the points from `first` up to `end`, not included */
export function extremes(column, first, end) {
  let least = Infinity;
  let most = -Infinity;
  const take = (low, high) => {
    if (low < least) least = low;
    if (high > most) most = high;
  };
  const walk = (from, to, level) => {
    const levels = level < 0 ? null : pyramid(column)[level];
    if (level < 0) {
      for (let i = from; i < to; i++) take(column[i], column[i]);
      return;
    }
    const size = FACTOR ** (level + 1);
    const begin = Math.ceil(from / size);
    const stop = Math.floor(to / size);
    if (begin >= stop) {
      walk(from, to, level - 1);
      return;
    }
    walk(from, begin * size, level - 1);
    for (let k = begin; k < stop; k++) take(levels.min[k], levels.max[k]);
    walk(stop * size, to, level - 1);
  };
  walk(first, end, end - first > 256 ? pyramid(column).length - 1 : -1);
  return [least, most];
}

/** the first index at or after a value of a rising column */
export function lowerBound(column, value) {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Points of y over a rising x, in [from, to] and one beyond on either side, at most about four a pixel: first,
 * least, greatest and last of each. Calls move(x, y) where the line begins and line(x, y) where it goes on. */
export function trace(x, y, from, to, pixels, move, line) {
  const first = Math.max(lowerBound(x, from) - 1, 0);
  const end = Math.min(lowerBound(x, to) + 2, x.length);
  let drawing = false;
  const point = (px, py) => {
    if (!Number.isFinite(py)) {
      drawing = false;
      return;
    }
    (drawing ? line : move)(px, py);
    drawing = true;
  };
  if (end - first <= 4 * pixels) {
    for (let i = first; i < end; i++) point(x[i], y[i]);
    return;
  }
  for (let k = 0; k < pixels; k++) {
    const a = first + Math.floor(((end - first) * k) / pixels);
    const b = first + Math.floor(((end - first) * (k + 1)) / pixels);
    if (a >= b) continue;
    const [least, most] = extremes(y, a, b);
    point(x[a], y[a]);
    if (least <= most) {
      point(x[a], least);
      point(x[b - 1], most);
    }
    point(x[b - 1], y[b - 1]);
  }
}
