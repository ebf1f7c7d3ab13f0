// timeline.js - the one time of the page: play, pause, step, speed, and a bar with the events of the run.
import { app, emit, on, setPlaying, setTime, stepRows } from "./store.js";
import { element, icon, iconButton, icons } from "./dom.js";
import { numberText } from "./format.js";

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100];

export class Timeline {
  constructor(host) {
    this.play = iconButton("play", "Play (Space)", () => setPlaying(!app.playing));
    this.play.classList.add("primary");
    this.time = element("output.clock", { "aria-label": "Time", "aria-live": "off" });
    this.bar = element("input.bar", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time of the cursor" });
    this.marks = element("canvas.marks", { "aria-hidden": "true" });
    this.speed = element("select", { "aria-label": "Speed", title: "Speed, times real time (+ and −)" });
    for (const speed of SPEEDS) this.speed.append(element("option", { value: speed, selected: speed === 1 }, `${numberText(speed)}×`));
    this.loop = iconButton("loop", "Begin again at the end (R)", () => this.setLoop(!app.loop), { "aria-pressed": true });
    host.append(
      iconButton("back", "One row back (←)", () => stepRows(-1)),
      this.play,
      iconButton("forward", "One row on (→)", () => stepRows(1)),
      this.time,
      element("div.bar-host", {}, this.marks, this.bar),
      this.loop,
      this.speed,
    );
    this.bar.addEventListener("input", () => {
      const run = app.run;
      if (!run?.rows) return;
      const t = run.first + Number(this.bar.value) * (run.last - run.first);
      setTime(run.time[run.rowAt(t)]); // rests on rows, so that what is read is what the file has
    });
    // the keys of a slider would move by a share of the bar; the page has its own
    this.bar.addEventListener("keydown", (event) => event.key.startsWith("Arrow") && event.preventDefault());
    this.speed.addEventListener("change", () => (app.speed = Number(this.speed.value)));
    on("time", () => this.show());
    on("run", () => this.takeRun());
    on("theme", () => this.drawMarks());
    on("play", () => this.showPlaying());
    new ResizeObserver(() => this.drawMarks()).observe(this.marks.parentElement);
  }

  setLoop(loop) {
    app.loop = loop;
    this.loop.setAttribute("aria-pressed", loop);
  }

  changeSpeed(steps) {
    const at = SPEEDS.indexOf(app.speed);
    app.speed = SPEEDS[Math.min(Math.max(at + steps, 0), SPEEDS.length - 1)];
    this.speed.value = String(app.speed);
  }

  /** so that the whole run lasts between 3 and 20 seconds */
  chooseSpeed(run) {
    const span = run.last - run.first;
    if (!(span > 0) || this.chosen) return;
    this.chosen = true;
    const wanted = span > 20 ? span / 20 : span < 3 ? span / 4 : 1;
    app.speed = SPEEDS.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best), 1);
    this.speed.value = String(app.speed);
  }

  takeRun() {
    const run = app.run;
    if (!run) return;
    if (run.done) this.chooseSpeed(run);
    this.digits = Math.min(6, Math.max(2, Math.ceil(-Math.log10(((run.last - run.first) / Math.max(run.rows - 1, 1)) * 0.99))));
    this.show();
    this.drawMarks();
  }

  show() {
    const run = app.run;
    if (!run?.rows) return;
    this.time.textContent = `${app.t.toFixed(this.digits ?? 2).replace("-", "−")} s`;
    this.time.dataset.time = String(app.t);
    this.bar.value = String(run.last > run.first ? (app.t - run.first) / (run.last - run.first) : 0);
    this.bar.setAttribute("aria-valuetext", this.time.textContent);
  }

  drawMarks() {
    const canvas = this.marks;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
    const run = app.run;
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    if (!run?.events || !(run.last > run.first)) return;
    c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--event").trim();
    const inset = 7;
    for (const t of run.events.slice(0, 5000)) {
      const x = inset + ((t - run.first) / (run.last - run.first)) * (w - 2 * inset);
      c.fillRect(Math.round(x) - 0.5, 0, 1.5, h);
    }
  }

  showPlaying() {
    this.play.replaceChildren(icon(icons[app.playing ? "pause" : "play"]));
    this.play.title = app.playing ? "Pause (Space)" : "Play (Space)";
    this.play.setAttribute("aria-label", this.play.title);
    if (!app.playing) {
      // rest on the row that is shown
      if (app.run?.rows) setTime(app.run.time[app.run.rowAt(app.t)]);
      return;
    }
    let before = performance.now();
    const tick = (now) => {
      if (!app.playing) return;
      const run = app.run;
      const t = app.t + ((now - before) / 1000) * app.speed;
      before = now;
      if (t < run.last) setTime(t);
      else if (!run.done) setTime(run.last);
      else if (app.loop) setTime(run.first);
      else {
        setTime(run.last);
        app.playing = false;
        emit("play");
        return;
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
}
