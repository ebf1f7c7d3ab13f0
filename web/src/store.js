// store.js - what the parts of the page share: the model, the runs, the time that is shown. Parts listen to
// events and never call each other.
//
//   model     other variables than before        run     the run that is shown, or more of it
//   time      the cursor has moved               play    playing began or ended
//   plots     curves came or went                select  a component was chosen
//   pins      runs that are kept beside it       theme   light or dark
//   settings  the user wants another run         view    the stretch of time that plots show
//   tab       another view of the model          chosen  settings were taken from a member of a sweep

const listeners = new Map();

export function on(event, listener) {
  if (!listeners.has(event)) listeners.set(event, []);
  listeners.get(event).push(listener);
}

export function emit(event, detail) {
  for (const listener of listeners.get(event) ?? []) listener(detail);
}

export const app = {
  source: null, // source.js: the server, or the data of a saved page
  model: null, // {title, table, variables, byName, solvers}
  run: null, // the one that is shown
  pins: [], // [{run, label}]
  settings: { set: {} }, // what the next run gets
  t: 0, // time of the cursor, s
  playing: false,
  speed: 1,
  loop: true,
  selected: null, // name of a component
  tab: "motion", // view in the middle: motion, diagram, eigen, sweep
  range: null, // [from, to] of time in the plots; null: all
};

/** moves the cursor, inside what there is */
export function setTime(t) {
  const run = app.run;
  if (!run || run.rows === 0) return;
  app.t = Math.min(Math.max(t, run.first), run.last);
  emit("time");
}

/** moves by so many rows, and rests on one */
export function stepRows(n) {
  const run = app.run;
  if (!run || run.rows === 0) return;
  let row = run.rowAt(app.t);
  if (n < 0 && app.t > run.time[row]) row++;
  setTime(run.time[Math.min(Math.max(row + n, 0), run.rows - 1)]);
}

export function setPlaying(playing) {
  app.playing = playing && !!app.run && app.run.rows > 1;
  if (app.playing && app.t >= app.run.last) setTime(app.run.first);
  emit("play");
}

export function select(name) {
  app.selected = name;
  emit("select");
}
