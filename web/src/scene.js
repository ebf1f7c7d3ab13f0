// scene.js - the mechanism in motion: three.js with an orthographic camera.
//
// Every piece of a symbol (symbols.js) is one instanced mesh for its area and one for its strokes, so that a scene
// needs a few draw calls however many components it has. Instances are 4x4 matrices, and the camera is an object of
// its own: a third dimension needs other symbols and another camera, not another renderer. A grid, labels and arrows
// are drawn on a plain canvas above.
import * as THREE from "three";
import { app, on, select } from "./store.js";
import { element, iconButton } from "./dom.js";
import { keyOf, piecesOf } from "./symbols.js";
import { Mechanism } from "./mechanism.js";
import { niceStep, numberText } from "./format.js";

// colours are those of the style sheet, to the last bit
THREE.ColorManagement.enabled = false;

const STROKE_VERTEX = `
attribute vec2 from;
attribute vec2 to;
attribute vec2 corner;
attribute float width;
uniform vec2 resolution;
uniform float ratio;
void main() {
#ifdef USE_INSTANCING
  mat4 whole = projectionMatrix * modelViewMatrix * instanceMatrix;
#else
  mat4 whole = projectionMatrix * modelViewMatrix;
#endif
  vec4 a = whole * vec4(from, 0.0, 1.0);
  vec4 b = whole * vec4(to, 0.0, 1.0);
  vec2 pa = a.xy / a.w * resolution * 0.5;
  vec2 pb = b.xy / b.w * resolution * 0.5;
  vec2 d = pb - pa;
  float l = length(d);
  d = l > 1e-6 ? d / l : vec2(1.0, 0.0);
  vec2 p = mix(pa, pb, corner.x) + (corner.y * vec2(-d.y, d.x) + (2.0 * corner.x - 1.0) * 0.6 * d) * 0.5 * width * ratio;
  vec4 c = mix(a, b, corner.x);
  gl_Position = vec4(p / (resolution * 0.5) * c.w, c.z, c.w);
}`;
const FLAT_FRAGMENT = `
uniform vec3 colour;
uniform float opacity;
void main() {
  gl_FragColor = vec4(colour, opacity);
}`;
const FILL_VERTEX = `
void main() {
  gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
}`;

/** quads for the segments of polylines */
function strokeGeometry(strokes) {
  const from = [];
  const to = [];
  const corner = [];
  const width = [];
  const index = [];
  for (const stroke of strokes)
    for (let i = 0; i + 1 < stroke.points.length; i++) {
      const first = width.length;
      for (const c of [[0, -1], [1, -1], [1, 1], [0, 1]]) {
        from.push(...stroke.points[i]);
        to.push(...stroke.points[i + 1]);
        corner.push(...c);
        width.push(stroke.width);
      }
      index.push(first, first + 1, first + 2, first, first + 2, first + 3);
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("from", new THREE.Float32BufferAttribute(from, 2));
  geometry.setAttribute("to", new THREE.Float32BufferAttribute(to, 2));
  geometry.setAttribute("corner", new THREE.Float32BufferAttribute(corner, 2));
  geometry.setAttribute("width", new THREE.Float32BufferAttribute(width, 1));
  geometry.setIndex(index);
  return geometry;
}

/** of thousands of symbols none is large: a circle of 40 corners does with 10 */
function thin(points, count) {
  if (count < 1000 || points.length < 30) return points;
  return points.filter((_, i) => i % 4 === 0 || i === points.length - 1);
}

/** a convex area as a fan */
function fillGeometry(points) {
  const index = [];
  for (let i = 1; i + 1 < points.length; i++) index.push(0, i, i + 1);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points.flatMap(([x, y]) => [x, y, 0]), 3));
  geometry.setIndex(index);
  return geometry;
}

class FlatMaterial extends THREE.ShaderMaterial {
  constructor(shared, vertexShader, colour, opacity) {
    super({
      vertexShader,
      fragmentShader: FLAT_FRAGMENT,
      uniforms: {
        resolution: shared.resolution,
        ratio: shared.ratio,
        colour: { value: new THREE.Color() },
        opacity: { value: opacity },
      },
      side: THREE.DoubleSide,
      depthTest: false,
      depthWrite: false,
      transparent: true,
      toneMapped: false,
    });
    this.colourName = colour;
  }
}

/** the meshes of one mechanism */
class Drawing {
  constructor(mechanism, shared, opacity, level) {
    this.mechanism = mechanism;
    this.group = new THREE.Group();
    this.pieces = [];
    const alike = new Map();
    for (const part of mechanism.parts) {
      if (part.hidden) continue;
      const key = keyOf(part);
      if (!alike.has(key)) alike.set(key, []);
      alike.get(key).push(part);
    }
    for (const parts of alike.values())
      piecesOf(parts[0]).forEach((piece, k) => {
        const order = level + 10 * parts[0].layer + 2 * k;
        const matrix = new THREE.InstancedBufferAttribute(new Float32Array(16 * parts.length), 16);
        matrix.setUsage(THREE.DynamicDrawUsage);
        for (let i = 0; i < parts.length; i++) matrix.array[16 * i + 10] = matrix.array[16 * i + 15] = 1;
        const add = (geometry, material, renderOrder) => {
          const mesh = new THREE.InstancedMesh(geometry, material, parts.length);
          mesh.instanceMatrix = matrix;
          mesh.frustumCulled = false;
          mesh.renderOrder = renderOrder;
          this.group.add(mesh);
        };
        const few = (points) => thin(points, parts.length);
        if (piece.fill) add(fillGeometry(few(piece.fill)), new FlatMaterial(shared, FILL_VERTEX, piece.fillColour, opacity), order);
        add(strokeGeometry(piece.strokes.map((stroke) => ({ ...stroke, points: few(stroke.points) }))), new FlatMaterial(shared, STROKE_VERTEX, piece.stroke, opacity), order + 1);
        this.pieces.push({ piece, parts, matrix });
      });
  }

  /** the poses that the mechanism has now */
  update() {
    const m = new Float64Array(6);
    for (const { piece, parts, matrix } of this.pieces) {
      parts.forEach((part, i) => {
        piece.place(part, m);
        const a = matrix.array;
        const o = 16 * i;
        a[o] = m[0];
        a[o + 1] = m[1];
        a[o + 4] = m[2];
        a[o + 5] = m[3];
        a[o + 12] = m[4];
        a[o + 13] = m[5];
      });
      matrix.needsUpdate = true;
    }
  }

  colour(colours) {
    this.group.traverse((mesh) => mesh.material?.uniforms.colour.value.set(colours[mesh.material.colourName]));
  }

  dispose() {
    this.group.traverse((mesh) => {
      mesh.geometry?.dispose();
      mesh.material?.dispose();
    });
  }
}

export class Scene {
  constructor(host) {
    this.host = host;
    this.options = { trails: true, forces: false, labels: false, follow: false };
    this.centre = { x: 0, y: 0 };
    this.scale = 100; // pixels for a metre
    this.fitted = true; // the user has not moved the camera
    this.drawings = [];
    this.colours = {};
    this.shared = { resolution: { value: new THREE.Vector2(1, 1) }, ratio: { value: 1 } };
    this.grid = element("canvas.layer");
    this.top = element("canvas.layer");
    this.empty = element("div.empty", {}, "");
    this.tools = this.makeTools();
    host.append(this.grid);
    try {
      this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
      this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
      this.renderer.domElement.classList.add("layer");
      this.renderer.domElement.dataset.scene = "";
      host.append(this.renderer.domElement);
    } catch {
      this.failed = true;
    }
    host.append(this.top, this.empty, this.tools);
    host.tabIndex = 0;
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", "The mechanism at the time of the cursor");
    this.camera = new THREE.OrthographicCamera(-1, 1, 1, -1, -10, 10);
    this.world = new THREE.Scene();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(host);
    on("run", () => this.takeRun());
    on("pins", () => this.takeRun());
    on("time", () => this.request());
    on("select", () => this.request());
    on("theme", () => this.takeTheme());
    this.takeTheme();
  }

  makeTools() {
    const toggle = (option, name, title) => {
      const button = iconButton(name, title, () => this.toggle(option), { "data-option": option, "aria-pressed": this.options[option] });
      return button;
    };
    return element(
      "div.scene-tools",
      { role: "toolbar", "aria-label": "Scene" },
      iconButton("fit", "Show everything (F)", () => this.fit()),
      toggle("follow", "follow", "Follow the selected part (O)"),
      toggle("trails", "trail", "Paths of the bodies (T)"),
      toggle("forces", "arrow", "Forces as arrows (V)"),
      toggle("labels", "label", "Names of the parts (L)"),
    );
  }

  toggle(option) {
    this.options[option] = !this.options[option];
    this.tools.querySelector(`[data-option=${option}]`).setAttribute("aria-pressed", this.options[option]);
    if (option === "forces" && this.options.forces) this.onneed?.();
    this.request();
  }

  /** the variables that the scene shows of a run */
  columns(run) {
    const wanted = new Set(run.poses());
    if (this.options.forces) for (const part of run.parts) for (const index of part.force ?? []) if (index >= 0) wanted.add(index);
    return wanted;
  }

  // ---------------------------------------------------------------- camera

  /** everything at any time, in the middle */
  fit() {
    if (!this.main) return;
    const { bounds, unit, planar } = this.main.mechanism;
    const [w, h] = [this.host.clientWidth, this.host.clientHeight];
    const above = Math.min(54, h / 5); // tabs and tools stand there
    const below = Math.min(24, h / 10); // numbers of the axis
    const width = bounds.x[1] - bounds.x[0] + 8 * unit;
    const height = planar ? bounds.y[1] - bounds.y[0] + 5 * unit : 14 * unit;
    this.scale = Math.min(w / width, (h - above - below) / height);
    this.centre = { x: (bounds.x[0] + bounds.x[1]) / 2, y: (bounds.y[0] + bounds.y[1]) / 2 + (above - below) / 2 / this.scale };
    this.fitted = true;
    this.request();
  }

  toScreen(x, y) {
    return [this.host.clientWidth / 2 + (x - this.centre.x) * this.scale, this.host.clientHeight / 2 - (y - this.centre.y) * this.scale];
  }

  toWorld(px, py) {
    return [this.centre.x + (px - this.host.clientWidth / 2) / this.scale, this.centre.y - (py - this.host.clientHeight / 2) / this.scale];
  }

  zoom(factor, px = this.host.clientWidth / 2, py = this.host.clientHeight / 2) {
    const [x, y] = this.toWorld(px, py);
    this.scale = Math.min(Math.max(this.scale * factor, 1e-6), 1e9);
    const [nx, ny] = this.toWorld(px, py);
    this.centre.x += x - nx;
    this.centre.y += y - ny;
    this.fitted = false;
    this.request();
  }

  listen() {
    const host = this.host;
    const place = (event) => {
      const box = host.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    host.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY * 0.0015), ...place(event));
      },
      { passive: false },
    );
    let from = null;
    host.addEventListener("pointerdown", (event) => {
      if (event.target.closest(".scene-tools") || event.button !== 0) return;
      from = { at: place(event), centre: { ...this.centre }, moved: false };
      host.setPointerCapture(event.pointerId);
    });
    host.addEventListener("pointermove", (event) => {
      if (!from) return;
      const [px, py] = place(event);
      const dx = px - from.at[0];
      const dy = py - from.at[1];
      from.moved ||= Math.hypot(dx, dy) > 3;
      if (!from.moved) return;
      this.centre = { x: from.centre.x - dx / this.scale, y: from.centre.y + dy / this.scale };
      this.fitted = false;
      if (this.options.follow) this.toggle("follow");
      this.request();
    });
    host.addEventListener("pointerup", (event) => {
      if (from && !from.moved) this.pick(...place(event));
      from = null;
    });
    host.addEventListener("dblclick", () => this.fit());
  }

  /** chooses the part under the pointer */
  pick(px, py) {
    if (!this.main) return;
    let best = null;
    let near = 18;
    for (const p of this.main.mechanism.parts) {
      if (p.hidden) continue;
      const [ax, ay] = this.toScreen(p.x0, p.y0);
      const [bx, by] = p.at.length > 3 ? this.toScreen(p.x1, p.y1) : [ax, ay];
      const length = (bx - ax) ** 2 + (by - ay) ** 2;
      const q = length > 0 ? Math.min(Math.max(((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length, 0), 1) : 0;
      const distance = Math.hypot(px - ax - q * (bx - ax), py - ay - q * (by - ay)) - p.layer;
      if (distance < near) [best, near] = [p, distance];
    }
    select(best ? best.name : null);
  }

  // ---------------------------------------------------------------- what is shown

  takeRun() {
    const run = app.run;
    if (this.failed) {
      this.say("This browser has no WebGL, so that the mechanism cannot be drawn. Curves and values work.");
      return;
    }
    if (!run || !run.parts?.length) {
      this.clear();
      this.say(run && run.done ? "This model has nothing that could be drawn: bodies, joints, rods and springs in the plane or along a line are." : "");
      return;
    }
    if (this.goesOn(run)) return;
    const mechanism = new Mechanism(run);
    if (run.rows === 0 || !mechanism.fetch()) return;
    const pins = this.pinned().map((pin) => new Mechanism(pin.run)).filter((m) => m.fetch());
    mechanism.measure();
    this.measured = run.rows;
    for (const pin of pins) {
      pin.measure();
      for (const p of pin.parts) p.unit = mechanism.unit;
    }
    this.clear();
    this.say("");
    pins.forEach((pin, i) => this.add(new Drawing(pin, this.shared, 0.28, 100 * i)));
    this.main = this.add(new Drawing(mechanism, this.shared, 1, 1000));
    this.makeTrails(mechanism);
    this.takeTheme();
    if (this.fitted) this.fit();
    this.request();
  }

  /** more rows of the run that is drawn: its meshes stay, and it is measured again when there is much more of it */
  goesOn(run) {
    const mechanism = this.main?.mechanism;
    if (mechanism?.run !== run || this.drawings.length !== 1 + this.pinned().length || !mechanism.fetch()) return false;
    if (run.done || run.rows >= 2 * this.measured) {
      mechanism.measure();
      this.measured = run.rows;
      this.makeTrails(mechanism);
      this.takeTheme();
      if (this.fitted) this.fit();
    }
    this.request();
    return true;
  }

  pinned() {
    return app.pins.filter((pin) => pin.run !== app.run && pin.run.parts?.length);
  }

  add(drawing) {
    this.drawings.push(drawing);
    this.world.add(drawing.group);
    return drawing;
  }

  clear() {
    for (const drawing of this.drawings) {
      this.world.remove(drawing.group);
      drawing.dispose();
    }
    this.drawings = [];
    this.main = null;
    this.trails?.geometry.dispose();
    if (this.trails) this.world.remove(this.trails);
    this.trails = null;
  }

  say(text) {
    this.empty.textContent = text;
    this.tools.hidden = !!text;
    this.request();
  }

  /** the ways of the bodies */
  makeTrails(mechanism) {
    this.trails?.geometry.dispose();
    if (this.trails) this.world.remove(this.trails);
    this.trails = null;
    const strokes = [];
    const bodies = mechanism.parts.map((p, i) => [p, i]).filter(([p]) => !p.hidden && p.look === "body");
    if (!mechanism.planar || bodies.length === 0 || bodies.length > 50) return;
    for (const [, i] of bodies) {
      const [x, y] = mechanism.data[i];
      const every = Math.max(1, Math.floor(mechanism.run.rows / 4000));
      const points = [];
      for (let row = 0; row < mechanism.run.rows; row += every) if (Number.isFinite(x[row] + y[row])) points.push([x[row], y[row]]);
      strokes.push({ width: 1.4, points });
    }
    this.trails = new THREE.Mesh(strokeGeometry(strokes), new FlatMaterial(this.shared, STROKE_VERTEX, "trail", 1));
    this.trails.frustumCulled = false;
    this.trails.renderOrder = 900;
    this.world.add(this.trails);
  }

  takeTheme() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--scene-${name}`).trim() || "#888";
    this.colours = {};
    for (const name of ["ink", "paper", "steel", "body", "cart", "spring", "thread", "pale", "trail", "wall", "disc", "grid", "text", "force", "select"])
      this.colours[name] = colour(name);
    for (const drawing of this.drawings) drawing.colour(this.colours);
    this.trails?.material.uniforms.colour.value.set(this.colours.trail);
    this.request();
  }

  // ---------------------------------------------------------------- drawing

  resize() {
    const [w, h] = [this.host.clientWidth, this.host.clientHeight];
    const ratio = window.devicePixelRatio || 1;
    if (!w || !h) return;
    for (const canvas of [this.grid, this.top]) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    this.renderer?.setPixelRatio(ratio);
    this.renderer?.setSize(w, h);
    this.shared.resolution.value.set(w * ratio, h * ratio);
    this.shared.ratio.value = ratio;
    if (this.fitted) this.fit();
    this.draw();
  }

  request() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  draw() {
    if (!this.renderer || !this.host.clientWidth) return;
    for (const drawing of this.drawings) {
      const { run } = drawing.mechanism;
      drawing.mechanism.place(run.placeAt(Math.min(Math.max(app.t, run.first), run.last)));
      drawing.update();
    }
    if (this.options.follow && this.main) this.follow();
    const [w, h] = [this.host.clientWidth / this.scale, this.host.clientHeight / this.scale];
    Object.assign(this.camera, { left: this.centre.x - w / 2, right: this.centre.x + w / 2, top: this.centre.y + h / 2, bottom: this.centre.y - h / 2 });
    this.camera.updateProjectionMatrix();
    if (this.trails) this.trails.visible = this.options.trails;
    this.renderer.render(this.world, this.camera);
    this.drawGrid();
    this.drawTop();
    if (this.main) this.firstPicture ??= performance.now(); // ms since the page was asked for
  }

  /** the selected part stays in the middle; nothing selected: the first body */
  follow() {
    const parts = this.main.mechanism.parts;
    const p = parts.find((part) => part.name === app.selected) ?? parts.findLast((part) => !part.hidden && part.look === "body") ?? parts[0];
    this.centre = { x: p.x0, y: p.y0 };
    this.fitted = false;
  }

  context(canvas) {
    const c = canvas.getContext("2d");
    const ratio = window.devicePixelRatio || 1;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.font = "11px " + getComputedStyle(this.host).fontFamily;
    return c;
  }

  /** lines at round numbers of metres, labelled along the edges */
  drawGrid() {
    const c = this.context(this.grid);
    if (!this.main) return;
    const [w, h] = [this.host.clientWidth, this.host.clientHeight];
    const step = niceStep(80 / this.scale);
    const [x0, y1] = this.toWorld(0, 0);
    const [x1, y0] = this.toWorld(w, h);
    c.strokeStyle = this.colours.grid;
    c.lineWidth = 1;
    c.beginPath();
    const labels = [];
    const text = (v) => numberText(Math.abs(v) < step * 1e-6 ? 0 : Number(v.toPrecision(10)));
    for (let k = Math.ceil(x0 / step); k * step <= x1; k++) {
      const px = Math.round(this.toScreen(k * step, 0)[0]) + 0.5;
      c.moveTo(px, 0);
      c.lineTo(px, h);
      if (px > 44 && px < w - 44) labels.push([text(k * step), px, h - 6, "center"]);
    }
    if (this.main.mechanism.planar)
      for (let k = Math.ceil(y0 / step); k * step <= y1; k++) {
        const py = Math.round(this.toScreen(0, k * step)[1]) + 0.5;
        c.moveTo(0, py);
        c.lineTo(w, py);
        if (py > 44 && py < h - 24) labels.push([text(k * step), 6, py - 4, "left"]);
      }
    c.stroke();
    c.fillStyle = this.colours.text;
    for (const [label, x, y, align] of labels) {
      c.textAlign = align;
      c.fillText(label, x, y);
    }
    c.textAlign = "right";
    c.fillText("m", w - 8, h - 6);
  }

  drawTop() {
    const c = this.context(this.top);
    if (!this.main) return;
    const parts = this.main.mechanism.parts.filter((p) => !p.hidden);
    const chosen = parts.find((p) => p.name === app.selected);
    if (chosen) this.drawSelection(c, chosen);
    if (this.options.forces) this.drawForces(c, parts);
    if (this.options.labels && parts.length <= 200) this.drawLabels(c, parts);
  }

  drawSelection(c, p) {
    const [x, y] = this.toScreen(p.x0, p.y0);
    const radius = Math.max(1.9 * p.unit * this.scale, 12);
    c.strokeStyle = this.colours.select;
    c.lineWidth = 2;
    c.setLineDash([5, 4]);
    c.beginPath();
    if (p.at.length > 3) {
      const [bx, by] = this.toScreen(p.x1, p.y1);
      const angle = Math.atan2(by - y, bx - x);
      c.arc(bx, by, radius, angle - Math.PI / 2, angle + Math.PI / 2);
      c.arc(x, y, radius, angle + Math.PI / 2, angle + (3 * Math.PI) / 2);
      c.closePath();
    } else c.arc(x, y, radius, 0, 2 * Math.PI);
    c.stroke();
    c.setLineDash([]);
  }

  /** what the elastic force at the first port does to the component; the longest arrow of the run fits the scene */
  drawForces(c, parts) {
    const run = this.main.mechanism.run;
    const arrows = [];
    for (const p of parts) {
      if (!p.force || !["body", "block", "spring", "contact"].includes(p.look)) continue;
      const force = p.force.map((index) => run.value(index, app.t));
      if (force.some((f) => !Number.isFinite(f))) continue;
      arrows.push({ p, fx: force[0], fy: force[1] ?? 0 });
    }
    this.longest = this.forceScale(run, parts);
    for (const { p, fx, fy } of arrows) {
      const size = Math.hypot(fx, fy);
      if (!(size > 1e-9 * this.longest)) continue;
      const length = (60 * size) / this.longest;
      this.arrow(c, ...this.toScreen(p.x0, p.y0), (fx / size) * length, (-fy / size) * length, `${numberText(size, 3)} N`);
    }
  }

  /** the largest force of the run, found once */
  forceScale(run, parts) {
    if (this.scaled?.run === run && this.scaled.rows === run.rows) return this.scaled.value;
    let most = 0;
    for (const p of parts) {
      if (!p.force || !["body", "block", "spring", "contact"].includes(p.look)) continue;
      const columns = p.force.map((index) => run.column(index));
      if (columns.some((column) => !column)) return 1;
      for (let row = 0; row < run.rows; row++) {
        const size = Math.hypot(...columns.map((column) => column[row]));
        if (size > most) most = size;
      }
    }
    this.scaled = { run, rows: run.rows, value: most || 1 };
    return this.scaled.value;
  }

  arrow(c, x, y, dx, dy, label) {
    const length = Math.hypot(dx, dy);
    if (length < 3) return;
    const [ux, uy] = [dx / length, dy / length];
    const head = Math.min(9, length);
    c.strokeStyle = c.fillStyle = this.colours.force;
    c.lineWidth = 2.2;
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + dx - ux * head * 0.8, y + dy - uy * head * 0.8);
    c.stroke();
    c.beginPath();
    c.moveTo(x + dx, y + dy);
    c.lineTo(x + dx - ux * head - uy * head * 0.45, y + dy - uy * head + ux * head * 0.45);
    c.lineTo(x + dx - ux * head + uy * head * 0.45, y + dy - uy * head - ux * head * 0.45);
    c.fill();
    c.textAlign = dx < -4 ? "right" : "left";
    c.fillText(label, x + dx + (dx < -4 ? -5 : 5), y + dy + 4);
  }

  /** names beside the parts; those at one point stand below each other */
  drawLabels(c, parts) {
    const taken = [];
    c.textAlign = "left";
    for (const p of parts) {
      const two = p.at.length > 3;
      const [x, y] = this.toScreen(two ? (p.x0 + p.x1) / 2 : p.x0, two ? (p.y0 + p.y1) / 2 : p.y0);
      const at = { x: x + 14, y: y - 10 };
      while (taken.some((other) => Math.abs(other.x - at.x) < 70 && Math.abs(other.y - at.y) < 13)) at.y -= 13;
      taken.push(at);
      c.strokeStyle = this.colours.paper;
      c.lineWidth = 3;
      c.strokeText(p.name, at.x, at.y);
      c.fillStyle = p.name === app.selected ? this.colours.select : this.colours.text;
      c.fillText(p.name, at.x, at.y);
    }
  }
}

