// source.js - where runs come from: the program that serves this page, or the page itself, if it was saved.
import { Run, readMessage } from "./run.js";

export class Failure extends Error {}

/** the program; the token stands in the fragment of the address, which browsers never send by themselves */
export class ServerSource {
  constructor(token) {
    this.token = token;
    this.live = true;
  }

  async post(path, message) {
    let response;
    try {
      response = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Lieder-Token": this.token },
        body: JSON.stringify(message),
      });
    } catch {
      throw new Failure("The program that serves this page has ended.");
    }
    if (response.status === 403) throw new Failure("This address has expired: open the one that lieder view printed.");
    if (response.status === 503) return null; // a later request has taken its place
    if (!response.ok) throw new Failure((await response.text()) || `The program refused (${response.status}).`);
    return response;
  }

  /** keeps the program alive as long as the page is open; resolves when it has ended */
  async stayAlive() {
    const response = await this.post("/api/alive", {});
    const reader = response.body.getReader();
    try {
      while (!(await reader.read()).done);
    } catch {
      // the connection broke, which says the same
    }
  }

  /** a run with these settings, or null if a later one has taken its place */
  async run(settings, want, table, poses = false) {
    const response = await this.post("/api/run", { ...settings, want, ...(poses ? { poses: 1 } : {}), ...(table ? { table } : {}) });
    return response && this.read(await response.arrayBuffer());
  }

  read(buffer) {
    const message = readMessage(buffer);
    const run = new Run({ number: message.head.number });
    run.take(message);
    return run;
  }

  /** more rows of the columns that the run has */
  async more(run, table) {
    const held = [...run.columns.keys()];
    const poses = run.poses();
    const want = held.filter((index) => !poses.has(index));
    const message = { run: run.number, from: run.complete, want, poses: want.length < held.length ? 1 : 0, table };
    const response = await this.post("/api/rows", message);
    run.take(readMessage(await response.arrayBuffer()));
  }

  /** a run that the program has already: another result */
  async result(number, table) {
    const response = await this.post("/api/rows", { run: number, want: [], parts: 1, table });
    return this.read(await response.arrayBuffer());
  }

  /** more columns of the run; poses, of which a fleet has very many, by one word */
  async columns(run, want, table) {
    const poses = run.poses();
    const named = want.filter((index) => !poses.has(index));
    const response = await this.post("/api/rows", { run: run.number, want: named, poses: named.length < want.length ? 1 : 0, table });
    run.take(readMessage(await response.arrayBuffer()));
  }

  async stop() {
    await this.post("/api/stop", {});
  }

  /** members of a sweep, some at a time, as lieder sweep has them: {head, members: [{time, y}]}; null: a run of the page came first */
  async sweep(message, first) {
    const response = await this.post(first === 0 ? "/api/sweep" : "/api/members", message);
    if (!response) return null;
    const { head, numbers } = readMessage(await response.arrayBuffer());
    let at = 0;
    const members = head.rows.map((rows) => {
      const time = numbers(at, rows);
      const y = rows ? numbers(at + rows, rows) : undefined;
      at += 2 * rows;
      return { time, y };
    });
    return { head, members };
  }

  /** the model's diagram as the text of an SVG, "" without one */
  async diagram() {
    const response = await this.post("/api/diagram", {});
    return response ? response.text() : "";
  }

  /** what lieder eigen says, as a list of objects; null if a later question has taken its place */
  async eigen(message) {
    const response = await this.post("/api/eigen", message);
    if (!response) return null;
    const lines = (await response.text()).split("\n").filter((line) => line.startsWith("{"));
    return lines.map((line) => JSON.parse(line));
  }
}

/** the data of a saved page: one run with all its columns */
export class SavedSource {
  constructor(buffer) {
    this.buffer = buffer;
    this.live = false;
  }

  async run() {
    const message = readMessage(this.buffer);
    const run = new Run({ number: message.head.number });
    run.take(message);
    return run;
  }

  async columns() {}

  async diagram() {
    return window.liederDiagram ?? "";
  }
}
