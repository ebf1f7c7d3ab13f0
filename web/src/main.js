// main.js - puts the page together, fetches runs, and knows the keys.
import "./style.css";
import { app, emit, on, setPlaying, setTime, stepRows } from "./store.js";
import { element, icon, iconButton, icons } from "./dom.js";
import { ServerSource, SavedSource } from "./source.js";
import { Scene } from "./scene.js";
import { Plots } from "./plots.js";
import { Tree } from "./tree.js";
import { Timeline } from "./timeline.js";
import { Parameters } from "./parameters.js";
import { Messages } from "./messages.js";
import { Tabs } from "./tabs.js";
import { Diagram } from "./diagram.js";
import { Eigen } from "./eigen.js";
import { Sweep } from "./sweep.js";
import { Run } from "./run.js";
import { numberText } from "./format.js";

const KEYS = [
  ["Space", "play, pause"],
  ["← →", "one row back, on; with Shift ten"],
  ["Home End", "first, last time"],
  ["+ −", "faster, slower"],
  ["/", "search a variable; Enter puts it into a plot"],
  ["P", "pin this run, to compare others with it"],
  ["1 2 3 4", "motion, diagram, eigenvalues, sweep"],
  ["F", "show the whole mechanism or diagram; wheel zooms, dragging moves"],
  ["O T V L", "follow a part, paths, forces, names"],
  ["Z", "show the whole time in the plots; wheel, Shift+wheel and a box zoom"],
  ["D", "light or dark"],
  ["?", "this list"],
];

// ---------------------------------------------------------------- theme

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("lieder-theme", theme);
  } catch {
    // a page from the disk may have no storage
  }
  emit("theme");
}

function startTheme() {
  let stored = null;
  try {
    stored = localStorage.getItem("lieder-theme");
  } catch {
    // as above
  }
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = stored ?? (dark ? "dark" : "light");
}

const switchTheme = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");

// ---------------------------------------------------------------- layout

function layout() {
  const host = document.getElementById("app");
  const parts = {
    title: element("h1.title", {}, "Lieder"),
    status: element("div.status", { role: "status" }),
    pin: element("button.labelled", { type: "button", title: "Keep this run to compare others with it (P)", onclick: pinRun }, icon(icons.pin), "Pin"),
    stop: element("button.labelled", { type: "button", hidden: true, onclick: () => app.source.stop() }, icon(icons.close), "Stop the run"),
    left: element("aside.left", { "aria-label": "Variables" }),
    stage: element("div.stage"),
    scene: element("div.scene"),
    diagram: element("div.view.diagram"),
    eigen: element("div.view.eigen"),
    sweep: element("div.view.sweep"),
    plots: element("div.plots"),
    timeline: element("div.timeline", { role: "group", "aria-label": "Time" }),
    right: element("aside.right", { "aria-label": "Parameters" }),
    messages: element("div.messages", { hidden: true }),
    help: element("dialog.help", {}, element("h2", {}, "Keys")),
  };
  for (const [key, text] of KEYS) parts.help.append(element("div.key", {}, element("kbd", {}, key), element("span", {}, text)));
  parts.help.append(element("form", { method: "dialog" }, element("button.labelled", {}, "Close")));
  const split = element("div.split", { role: "separator", tabindex: "0", "aria-orientation": "horizontal", "aria-label": "Height of the scene" });
  host.append(
    element(
      "header.top",
      {},
      element("span.brand", {}, "Lieder"),
      parts.title,
      parts.status,
      parts.stop,
      parts.pin,
      iconButton("theme", "Light or dark (D)", switchTheme),
      iconButton("help", "Keys (?)", () => parts.help.showModal()),
    ),
    element("main.main", {}, parts.left, element("div.centre", {}, parts.stage, split, parts.plots, parts.timeline), element("div.side", {}, parts.messages, parts.right)),
    parts.help,
  );
  makeSplit(split, parts.stage);
  return parts;
}

/** the line between scene and plots can be moved */
function makeSplit(split, scene) {
  const centre = split.parentElement;
  const set = (share) => centre.style.setProperty("--scene-share", `${Math.min(Math.max(share, 0.1), 0.85) * 100}%`);
  split.addEventListener("pointerdown", (event) => {
    split.setPointerCapture(event.pointerId);
    const move = (e) => {
      const box = centre.getBoundingClientRect();
      set((e.clientY - box.top) / box.height);
    };
    split.addEventListener("pointermove", move);
    split.addEventListener("pointerup", () => split.removeEventListener("pointermove", move), { once: true });
  });
  split.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -0.05, ArrowDown: 0.05 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    set(scene.clientHeight / centre.clientHeight + step);
  });
}

// ---------------------------------------------------------------- runs

let page;
let busy = false;
let again = false;

/** the columns that something on the page shows */
function wanted(run) {
  const set = new Set(page.plots.columns());
  for (const index of page.scene.columns(run)) set.add(index);
  for (const index of page.parameters.columns()) set.add(index);
  return set;
}

function takeModel(run) {
  if (app.model?.table === run.table) return false;
  app.model = { title: run.title, table: run.table, variables: run.variables, solvers: run.solvers ?? [], byName: new Map() };
  run.variables.forEach((variable, index) => app.model.byName.set(variable.name, index));
  document.title = `${run.title} · Lieder`;
  page.parts.title.textContent = run.title;
  chooseTabs(run);
  return true;
}

/** what this model, result or saved page can show; a model without a mechanism begins with its diagram */
function chooseTabs(run) {
  const runs = app.source.live && !run.file;
  page.tabs.setAbsent("eigen", !runs);
  page.tabs.setAbsent("sweep", !runs && !run.members);
  page.tabs.setAbsent("diagram", run.file && !run.model);
  if (run.members) page.tabs.choose("sweep");
  else if (!run.parts?.length && app.tab === "motion") page.tabs.choose("diagram");
}

/** a member of a file that lieder sweep wrote: its rows as a run of their own */
async function showMember(whole, member) {
  const { columns: held, time, rows, ...head } = whole;
  const run = Object.assign(new Run({}), head, { number: `${whole.number}.${member.number}`, members: undefined, done: true });
  run.constants = { ...whole.constants };
  await fetchColumns(whole, wanted(whole));
  run.time = time.subarray(member.row, member.end);
  run.rows = run.time.length;
  run.slice = { whole, member };
  for (const [index, column] of whole.columns) run.columns.set(index, column.subarray(member.row, member.end));
  takeRun(run);
}

/** shows a run, when all that is shown of it has come */
async function takeRun(run) {
  if (run.rows === 0 && run.exit_code !== 0) {
    page.messages.show(run.said);
    showStatus(run);
    return; // what was shown stays
  }
  const first = !app.run;
  const fresh = app.run !== run;
  if (run.variables && takeModel(run)) {
    app.run = run;
    if (run.members) app.source.whole = run;
    emit("model");
    if (run.members) {
      await showMember(run, { number: 0, row: 0, end: run.members[1]?.row ?? run.rows });
      return;
    }
  }
  await fetchColumns(run, wanted(run));
  app.run = run;
  if (first) app.t = run.first;
  app.t = Math.min(Math.max(app.t, run.first), run.last);
  page.messages.show(run.said ?? []);
  showStatus(run);
  emit("run");
  emit("time");
  fetchVisible();
  if (fresh && (!run.done || run.complete < run.rows)) follow(run);
  if (first && run.others) await pinOthers(run.others);
}

/** further results of the command line, over the first */
async function pinOthers(n) {
  for (let number = 1; number <= n; number++) {
    const run = await app.source.result(number, app.model.table);
    if (run.variables) run.byName = new Map(run.variables.map((variable, index) => [variable.name, index]));
    await fetchPinned(run);
    app.pins.push({ run, label: run.title });
  }
  emit("pins");
}

/** what the plots and the scene show, of a run that may have other variables */
async function fetchPinned(run) {
  const names = [...page.plots.columns()].map((index) => app.model.variables[index].name);
  const indices = new Set(names.map((name) => run.indexOf(name, app.model)).filter((index) => index !== undefined));
  if (run.parts?.length) for (const index of page.scene.columns(run)) indices.add(index);
  await fetchColumns(run, indices);
}

async function fetchColumns(run, indices) {
  if (run.slice) {
    const { whole, member } = run.slice;
    await fetchColumns(whole, indices);
    for (const [index, column] of whole.columns) if (!run.columns.has(index)) run.columns.set(index, column.subarray(member.row, member.end));
    return;
  }
  const missing = [...indices].filter((index) => !run.columns.has(index) && !(run.constants && index in run.constants));
  if (missing.length) await app.source.columns(run, missing, run.table ?? app.model.table);
}

/** values of the tree that are in sight */
let fetching = null;
function fetchVisible() {
  if (fetching || !app.run) return;
  fetching = setTimeout(async () => {
    fetching = null;
    const run = app.run;
    const columns = page.tree.columns();
    const before = run.columns.size;
    try {
      await fetchColumns(run, columns);
    } catch (error) {
      page.messages.fail(error.message);
    }
    if (run.columns.size !== before) page.tree.showValues();
  }, 30);
}

/** a run that goes on: its rows as they come */
async function follow(run) {
  let cost = 0;
  while (app.run === run && (!run.done || run.complete < run.rows)) {
    await new Promise((resolve) => setTimeout(resolve, 60 + 3 * cost)); // a fleet takes its time to draw
    const begun = performance.now();
    const end = app.t >= run.last - 1e-12;
    try {
      await app.source.more(run, app.model.table);
    } catch (error) {
      page.messages.fail(error.message);
      return;
    }
    if (app.run !== run) return;
    if (end) app.t = run.last;
    showStatus(run);
    page.messages.show(run.said ?? []);
    emit("run");
    emit("time");
    cost = performance.now() - begun;
  }
}

/** one run at a time; requests that come meanwhile become one */
async function makeRun() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const begun = performance.now();
    const known = app.model?.table;
    const poses = app.run?.poses() ?? new Set();
    const want = app.run ? [...wanted(app.run)].filter((index) => !poses.has(index)) : [];
    const run = await app.source.run(app.settings, want, known, true);
    if (run) await takeRun(run);
    page.lastRunMilliseconds = performance.now() - begun;
  } catch (error) {
    page.messages.fail(error.message);
  }
  busy = false;
  if (again) {
    again = false;
    makeRun();
  }
}

function showStatus(run) {
  const text = [];
  if (!run.done) text.push(`running: t = ${numberText(run.last, 4)} s`);
  else if (run.exit_code !== 0) text.push("the run failed");
  else if (run.solver) text.push(run.solver, `${run.steps} steps`, `${numberText(1000 * run.seconds, 3)} ms`);
  if (run.events?.length) text.push(`${run.events.length} event${run.events.length === 1 ? "" : "s"}`);
  page.parts.status.textContent = text.join(" · ");
  page.parts.status.classList.toggle("failed", run.done && run.exit_code !== 0);
  page.parts.stop.hidden = run.done || !app.source.live;
}

function pinRun() {
  const run = app.run;
  if (!run || app.pins.some((pin) => pin.run === run)) return;
  const changes = Object.entries(app.settings.set).map(([name, value]) => `${name} = ${value}`);
  if (app.settings.solver) changes.push(app.settings.solver);
  app.pins.push({ run, label: changes.join(", ") || "as the model is" });
  emit("pins");
}

// ---------------------------------------------------------------- keys

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  const typing = target.matches?.("input[type=text], input[type=search], select, textarea");
  if (typing || page.parts.help.open) return;
  const slider = target.matches?.("input.slider");
  const actions = {
    " ": () => setPlaying(!app.playing),
    ArrowLeft: () => stepRows(event.shiftKey ? -10 : -1),
    ArrowRight: () => stepRows(event.shiftKey ? 10 : 1),
    Home: () => setTime(app.run?.first ?? 0),
    End: () => setTime(app.run?.last ?? 0),
    "+": () => page.timeline.changeSpeed(1),
    "-": () => page.timeline.changeSpeed(-1),
    "/": () => document.getElementById("search").focus(),
    p: pinRun,
    f: () => (app.tab === "diagram" ? page.diagram : page.scene).fit(),
    1: () => page.tabs.chooseNumber(1),
    2: () => page.tabs.chooseNumber(2),
    3: () => page.tabs.chooseNumber(3),
    4: () => page.tabs.chooseNumber(4),
    o: () => page.scene.toggle("follow"),
    t: () => page.scene.toggle("trails"),
    v: () => page.scene.toggle("forces"),
    l: () => page.scene.toggle("labels"),
    r: () => page.timeline.setLoop(!app.loop),
    z: () => page.plots.setRange(null),
    d: switchTheme,
    "?": () => page.parts.help.showModal(),
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!actions[key] || (slider && (key.startsWith("Arrow") || key === "Home" || key === "End"))) return;
  if (key === " " && target.matches?.("button")) return;
  event.preventDefault();
  actions[key]();
}

// ---------------------------------------------------------------- start

async function start() {
  startTheme();
  const saved = window.liederSaved;
  const token = location.hash.slice(1);
  app.source = saved ? new SavedSource(saved) : new ServerSource(token);
  const parts = layout();
  page = { parts, lastRunMilliseconds: NaN };
  page.plots = new Plots(parts.plots);
  page.scene = new Scene(parts.scene);
  page.tree = new Tree(parts.left, page.plots);
  page.timeline = new Timeline(parts.timeline);
  page.parameters = new Parameters(parts.right);
  page.messages = new Messages(parts.messages);
  page.diagram = new Diagram(parts.diagram);
  page.eigen = new Eigen(parts.eigen);
  page.fetchColumns = fetchColumns;
  page.showMember = showMember;
  page.sweep = new Sweep(parts.sweep, page);
  page.tabs = new Tabs(parts.stage, [
    { id: "motion", title: "Motion", root: parts.scene, show: () => page.scene.resize() },
    { id: "diagram", title: "Diagram", root: parts.diagram, show: () => page.diagram.show() },
    { id: "eigen", title: "Eigenvalues", root: parts.eigen, show: () => page.eigen.show() },
    { id: "sweep", title: "Sweep", root: parts.sweep, show: () => page.sweep.show() },
  ]);
  page.scene.onneed = async () => {
    if (app.run) await fetchColumns(app.run, wanted(app.run));
    page.scene.request();
  };
  on("need", fetchVisible);
  on("settings", makeRun);
  on("plots", async () => {
    if (!app.run) return;
    await fetchColumns(app.run, page.plots.columns());
    for (const pin of app.pins) await fetchPinned(pin.run).catch(() => {}); // one that is no longer kept stays as it is
    page.plots.refresh();
  });
  document.addEventListener("keydown", onKey);
  window.lieder = { app, page, setTime }; // for the console of the browser, and for tests
  if (!saved)
    app.source.stayAlive().then(
      () => page.messages.fail("The program that serves this page has ended. What is shown can still be looked at."),
      (error) => page.messages.fail(error.message),
    );
  await makeRun();
}

start();
