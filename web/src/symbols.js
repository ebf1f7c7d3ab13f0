// symbols.js - how components look, for the scene: the same symbols as src/picture/symbol.c draws.
//
// A look is a list of pieces. A piece is a drawing in coordinates of its own and a rule that places it: the affine
// map from these coordinates to the world, m = [xx, xy, yx, yy, x, y] with world = (xx u + yx v + x, xy u + yy v + y).
// The scene draws all components of a piece by one call (instances that differ in the map), however many there are.
// Strokes have widths in pixels, which the map does not change.
//
// A part in a row has p = {x0, y0, phi0, x1, y1, phi1} and the fields of its description; `unit` is the length by
// which symbols are scaled, a forty-fifth of the scene.

const line = (width, ...points) => ({ width, points });

function circle(n = 40) {
  const points = [];
  for (let i = 0; i <= n; i++) points.push([Math.cos((2 * Math.PI * i) / n), Math.sin((2 * Math.PI * i) / n)]);
  return points;
}

const square = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
  [-1, -1],
];

/** a map that turns by an angle and scales along its own axes */
function turned(m, x, y, angle, along, across = along) {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  m[0] = c * along;
  m[1] = s * along;
  m[2] = -s * across;
  m[3] = c * across;
  m[4] = x;
  m[5] = y;
}

/** from the first port to the second: u runs from 0 to 1, v is scaled by `across` */
function between(m, p, across) {
  const length = Math.hypot(p.x1 - p.x0, p.y1 - p.y0);
  turned(m, p.x0, p.y0, Math.atan2(p.y1 - p.y0, p.x1 - p.x0), length, across(length));
}

/** a bar with strokes below it */
const hatch = [line(1.6, [-2, 0], [2, 0])];
for (let i = 0; i < 5; i++) hatch.push(line(0.9, [(i - 1.5) * 0.8, 0], [(i - 2.3) * 0.8, -0.9]));

/** teeth between straight ends, as long as 1 and as high as 1 */
function teeth() {
  const points = [[0, 0], [0.08, 0]];
  for (let i = 0; i < 8; i++) points.push([0.08 + (0.84 * (i + 0.5)) / 8, i % 2 ? -1 : 1]);
  points.push([0.92, 0], [1, 0]);
  return points;
}

/** the wall from 0 to 1 along u, strokes on the far side */
function wallStrokes() {
  const strokes = [line(1.8, [0, 0], [1, 0])];
  return strokes;
}

const angleOfAxis = (p) => Math.atan2(p.axis[1], p.axis[0]);
const bodyRadius = (p) => p.unit * Math.max(0.45, 1.25 * Math.cbrt(p.share));

const looks = {
  ground: [{ strokes: hatch, stroke: "ink", place: (p, m) => turned(m, p.x0, p.y0, p.phi0, p.unit) }],
  wall: [{ strokes: hatch, stroke: "ink", place: (p, m) => turned(m, p.x0, p.y0, p.phi0 - Math.PI / 2, p.unit) }],
  body: [
    {
      fill: circle(),
      fillColour: "body",
      strokes: [line(1.2, ...circle())],
      stroke: "ink",
      place: (p, m) => turned(m, p.x0, p.y0, p.phi0, bodyRadius(p)),
    },
  ],
  block: [
    {
      fill: square,
      fillColour: "body",
      strokes: [line(1.2, ...square)],
      stroke: "ink",
      place: (p, m) => turned(m, p.x0, p.y0, p.phi0, p.unit * Math.max(0.6, 1.5 * Math.cbrt(p.share))),
    },
  ],
  rod: [{ strokes: [line(3.4, [0, 0], [1, 0])], stroke: "steel", place: (p, m) => between(m, p, () => 1) }],
  pivot: [
    {
      fill: circle(),
      fillColour: "paper",
      strokes: [line(1.4, ...circle())],
      stroke: "ink",
      place: (p, m) => turned(m, p.x0, p.y0, 0, 0.42 * p.unit),
    },
  ],
  slider: [
    {
      strokes: [line(1.6, [0, 0], [1, 0])],
      stroke: "pale",
      place: (p, m) => {
        const angle = p.phi0 + angleOfAxis(p);
        const from = p.span[0] - 3 * p.unit;
        const length = p.span[1] - p.span[0] + 6 * p.unit;
        turned(m, p.x0 + Math.cos(angle) * from, p.y0 + Math.sin(angle) * from, angle, length, 1);
      },
    },
    {
      fill: square,
      fillColour: "cart",
      strokes: [line(1.2, ...square)],
      stroke: "ink",
      place: (p, m) => turned(m, p.x1, p.y1, p.phi0 + angleOfAxis(p), 2 * p.unit, 1.1 * p.unit),
    },
  ],
  spring: [
    {
      strokes: [line(1.9, ...teeth())],
      stroke: "spring",
      place: (p, m) => between(m, p, (length) => Math.min(0.8 * p.unit, 0.5 * length)),
    },
  ],
  damper: [
    {
      strokes: [
        line(1.9, [0, 0], [0.35, 0], [0.35, 1], [0.75, 1]),
        line(1.9, [0.35, 1], [0.35, -1], [0.75, -1]),
        line(1.9, [1, 0], [0.55, 0]),
        line(1.9, [0.55, 0.8], [0.55, -0.8]),
      ],
      stroke: "spring",
      place: (p, m) => between(m, p, (length) => Math.min(0.7 * p.unit, 0.35 * length)),
    },
  ],
  gap: [
    {
      strokes: [line(0.9, [0, 0], [1, 0]), line(2.2, [0, -1], [0, 1]), line(2.2, [1, -1], [1, 1])],
      stroke: "thread",
      place: (p, m) => between(m, p, () => 1.2 * p.unit),
    },
  ],
  // A parabola of about the length of the thread: an arc of width a and sag b has the length a + 8 b² / (3 a).
  thread: [
    {
      strokes: [line(2, ...Array.from({ length: 13 }, (_, i) => [i / 12, (-4 * i * (12 - i)) / 144]))],
      stroke: "thread",
      place: (p, m) => {
        const a = Math.hypot(p.x1 - p.x0, p.y1 - p.y0);
        const spare = Math.max(0, p.slack - a);
        const sag = Math.min(Math.sqrt((3 * Math.max(a, 1e-9) * spare) / 8), 0.5 * (spare + Math.sqrt(spare * a)));
        m[0] = p.x1 - p.x0;
        m[1] = p.y1 - p.y0;
        m[2] = 0;
        m[3] = sag;
        m[4] = p.x0;
        m[5] = p.y0;
      },
    },
  ],
  // a wheel seen from above, as long as its diameter
  tyre: [
    {
      fill: square,
      fillColour: "ink",
      strokes: [line(1.2, ...square)],
      stroke: "ink",
      place: (p, m) => turned(m, p.x0, p.y0, p.phi0, p.reach[0], 0.28 * p.reach[0]),
    },
  ],
  // a wall through the first port, as long as the way of the shape along it; the shape is an outline
  contact: [
    {
      fill: [
        [0, 0],
        [1, 0],
        [1, -1],
        [0, -1],
      ],
      fillColour: "wall",
      strokes: wallStrokes(),
      stroke: "ink",
      place: (p, m) => {
        const angle = p.phi0 + angleOfAxis(p) - Math.PI / 2;
        const from = p.span[0] - p.reach[1] - 2 * p.unit;
        const length = p.span[1] - p.span[0] + 2 * p.reach[1] + 4 * p.unit;
        turned(m, p.x0 + Math.cos(angle) * from, p.y0 + Math.sin(angle) * from, angle, length, 0.7 * p.unit);
      },
    },
  ],
};

/** the shape at a port, in the axes of its frame; of a disc with a stroke that shows how it turns */
function outlinePiece(part, port) {
  const points = part.outlines[port];
  const spoke = part.spokes[port];
  return {
    fill: part.look === "gears" ? null : points.slice(0, -1), // a ring has the other wheel inside
    fillColour: "disc",
    strokes: [line(1.4, ...points), ...(spoke ? [line(1.4, [0.55 * spoke, 0], [spoke, 0])] : [])],
    stroke: "steel",
    place: port ? (p, m) => turned(m, p.x1, p.y1, p.phi1, 1) : (p, m) => turned(m, p.x0, p.y0, p.phi0, 1),
  };
}

/** the pieces of a part: those of its look, and the shapes at its ports */
export function piecesOf(part) {
  const look = lookOf(part);
  const shapes = look === "tyre" ? [] : [0, 1].filter((port) => part.outlines?.[port].length);
  return [...(looks[look] ?? []), ...shapes.map((port) => outlinePiece(part, port))];
}

/** parts of one key have the same pieces */
export function keyOf(part) {
  return lookOf(part) + (part.outlines ? JSON.stringify(part.outlines) : "");
}

/** which look a part has: a gap that holds a sliding joint back is a thread */
function lookOf(part) {
  return part.thread ? "thread" : part.look;
}
