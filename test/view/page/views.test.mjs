// views.test.mjs - what the page shows beside one run: diagram, eigenvalues, sweeps, other results, live runs, fleets. Each is
// compared with the command that says the same.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, folder, lieder, model, open, readCsv, serve, start } from "./browser.mjs";

after(closeBrowser);
const crab = model("crane_crab.mo");

/** a server with these arguments and its page, closed in any case; the page must have nothing to complain about */
async function withPage(args, action, options = {}) {
  const server = await (options.command ? start(options.command, ...args) : serve(...args));
  const view = await open(server.address, options);
  try {
    await action(view.page, server);
    assert.deepEqual(view.faults(), []);
  } finally {
    await view.page.close();
    await server.end();
  }
}

const close = (a, b, tolerance = 1e-12) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b), 1e-300);

test("the diagram is that of lieder draw --diagram, and leads to variables and text", () =>
  withPage([crab], async (page) => {
    lieder("draw", crab, "--diagram", "-o", "crab.svg");
    await page.keyboard.press("2");
    await page.waitForSelector(".diagram-paper .component");
    assert.equal(await page.locator(".component").count(), 7);
    assert.equal(await page.locator(".connection").count(), 5);
    await page.locator('[data-component="load"]').click();
    assert.equal(await page.evaluate(() => window.lieder.app.selected), "load");
    const text = await page.textContent(".diagram-info");
    assert.match(text, /load.*Planar\.Body.*crane_crab\.mo:11 {2}Dialectic\.Planar\.Body load/);
    await page.waitForSelector('.tree [data-key="+load"].selected');
  }));

test("a model without a mechanism begins with its diagram", () =>
  withPage([model("circuit.mo")], async (page) => {
    await page.waitForSelector(".diagram-paper .component");
    assert.equal(await page.getAttribute("#tab-diagram", "aria-selected"), "true");
    assert.equal(await page.locator(".component").count(), 7);
  }));

test("eigenvalues at the cursor are those of lieder eigen", () =>
  withPage([crab], async (page) => {
    await page.evaluate(() => window.lieder.setTime(0.5));
    await page.keyboard.press("3");
    await page.waitForFunction(() => window.lieder.page.eigen.values?.length === 4);
    const shown = await page.evaluate(() => window.lieder.page.eigen.values.map((v) => [v.real, v.imaginary]));
    const lines = lieder("eigen", crab, "--at", "0.5", "--log-format", "json").trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(shown, lines.filter((line) => line.type === "eigenvalue").map((v) => [v.real, v.imaginary]));
    await page.waitForSelector(".plane .eigen-mark");
    // a step that is too long for rk4 is marked
    await page.selectOption(".eigen select", "rk4");
    await page.locator(".eigen input.number").fill("3");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".plane .unstable");
    assert.match(await page.textContent(".eigen-table"), /✕ grows/);
  }));

test("a sweep has the numbers of lieder sweep, and a click shows a member", () =>
  withPage([crab], async (page) => {
    await page.keyboard.press("4");
    await page.selectOption('select[aria-label="Vary"]', "loadMass");
    const fill = (label, value) => page.locator(`input[aria-label="Vary: ${label}"]`).fill(value);
    await fill("from", "1");
    await fill("to", "3");
    await fill("number of values", "3");
    await page.getByRole("button", { name: "Run the sweep" }).click();
    await page.waitForFunction(() => window.lieder.page.sweep.members.length === 3 && !window.lieder.page.sweep.running);
    const members = await page.evaluate(() => window.lieder.page.sweep.members.map((m) => [m.values[0], m.y[m.y.length - 1]]));
    lieder("sweep", crab, "--vary", "loadMass=1:3:3", "--record", "prismatic.s", "-o", "sweep.csv");
    const { rows } = readCsv("sweep.csv");
    const last = rows.filter((row) => row[1] === 10);
    members.forEach(([mass, s], i) => assert.ok(mass === last[i][0] && close(s, last[i][2]), `${mass}: ${s} and ${last[i]}`));
    await page.evaluate(() => window.lieder.page.sweep.choose(window.lieder.page.sweep.members[2]));
    await page.waitForFunction(() => window.lieder.app.run.constants[window.lieder.app.model.byName.get("loadMass")] === 3);
    assert.equal(await page.inputValue('input.number[aria-label^="loadMass"]'), "3");
  }));

test("a file that lieder sweep wrote is a sweep here, too", async () => {
  lieder("sweep", crab, "--vary", "loadMass=1,2", "--vary", "l=1,1.5", "-o", "grid.csv");
  const { names, rows } = readCsv("grid.csv");
  const phi = names.indexOf("revolute.phi");
  await withPage(["grid.csv", "--model", crab], async (page) => {
    await page.waitForFunction(() => window.lieder.page.sweep.members.length === 4);
    assert.equal(await page.getAttribute("#tab-sweep", "aria-selected"), "true");
    await page.evaluate(() => window.lieder.page.sweep.choose(window.lieder.page.sweep.members[3]));
    await page.waitForFunction(() => window.lieder.app.run.number === "0.3");
    const shown = await page.evaluate(async () => {
      const { app, page: view } = window.lieder;
      const index = app.model.byName.get("revolute.phi");
      await view.fetchColumns(app.run, new Set([index]));
      return [...app.run.column(index)];
    });
    const expected = rows.filter((row) => row[0] === 2 && row[1] === 1.5).map((row) => row[phi]);
    assert.equal(shown.length, expected.length);
    assert.ok(shown.every((value, i) => close(value, expected[i])));
  });
});

test("two results lie over each other", async () => {
  lieder("simulate", crab, "-o", "one.csv");
  lieder("simulate", crab, "--override", "loadMass=3", "--record", "revolute\\..*", "-o", "two.csv");
  const { names, rows } = readCsv("two.csv");
  await withPage(["one.csv", "two.csv"], async (page) => {
    await page.waitForSelector(".pin");
    assert.match(await page.textContent(".pin"), /two\.csv/);
    const curves = await page.evaluate(() => {
      const panel = window.lieder.page.plots.panels.find((p) => p.names.some((n) => n.startsWith("revolute.") || n === "der(revolute.phi)")) ?? window.lieder.page.plots.panels[0];
      if (!panel.names.includes("revolute.phi")) panel.add("revolute.phi");
      return panel.number;
    });
    await page.waitForFunction((number) => window.lieder.page.plots.panels.find((p) => p.number === number).curves().filter((c) => c.name === "revolute.phi").length === 2, curves);
    const pinned = await page.evaluate((number) => [...window.lieder.page.plots.panels.find((p) => p.number === number).curves().find((c) => c.name === "revolute.phi" && c.pinned).y], curves);
    const expected = rows.map((row) => row[names.indexOf("revolute.phi")]);
    assert.ok(pinned.length === expected.length && pinned.every((value, i) => close(value, expected[i])));
  });
});

test("simulate --output view: shows a run in real time while it goes on", () =>
  withPage(
    [crab, "--real-time", "--stop-time", "3", "--output", "view:"],
    async (page) => {
      const rows = () => page.evaluate(() => window.lieder.app.run.rows);
      const early = await rows();
      await page.waitForFunction((n) => window.lieder.app.run.rows > n, early);
      await page.waitForFunction(() => window.lieder.app.run.done && window.lieder.app.run.last === 3);
      assert.equal(await page.evaluate(() => window.lieder.app.run.solver), "rk4");
      // the columns that are shown have come to the end with it
      assert.ok(await page.evaluate(() => window.lieder.page.plots.panels.every((p) => p.curves().every((c) => c.y.length === window.lieder.app.run.rows))));
    },
    { command: "simulate", running: true },
  ));

test("a fleet stands in a grid, in a few draw calls, and members can be chosen", () =>
  withPage([model("scale/Fleet.mo"), "--override", "n=2000"], async (page) => {
    await page.waitForFunction(() => window.lieder.page.scene.main);
    const seen = await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const { scene } = window.lieder.page;
      const { parts, lanes } = scene.main.mechanism;
      scene.draw();
      const carts = parts.filter((p) => p.name.endsWith(".cart"));
      return { calls: scene.renderer.info.render.calls, parts: parts.length, lanes, places: new Set(carts.map((p) => `${Math.round(10 * p.dx)} ${Math.round(10 * p.dy)}`)).size };
    });
    assert.equal(seen.parts, 12000);
    assert.equal(seen.lanes, 2000);
    assert.equal(seen.places, 2000, "no two members at one place");
    assert.ok(seen.calls <= 12, `${seen.calls} draw calls`);
    await page.locator("#setting-lanes").fill("5,7:9");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => window.lieder.app.run.done && window.lieder.app.run.parts.length === 24);
    assert.ok(await page.evaluate(() => window.lieder.app.model.byName.has("crab[8].revolute.phi")));
  }));

test("x against y, logarithmic axes, and a saved page with its diagram", async () => {
  lieder("view", crab, "--save", "views.html");
  const { page, faults } = await open(`file://${folder}/views.html`);
  await page.evaluate(() => {
    const { plots } = window.lieder.page;
    plots.addPanel(["revolute.w"]);
    plots.panels.at(-1).setOver("revolute.phi");
    plots.panels.at(-1).setLog(true);
    plots.panels.at(-1).setLogX(true);
  });
  const limits = await page.evaluate(() => {
    const panel = window.lieder.page.plots.panels.at(-1);
    return [...panel.xLimits(), ...panel.yLimits()];
  });
  assert.ok(limits.every((v) => v > 0), "logarithmic axes show what is positive");
  await page.keyboard.press("2");
  await page.waitForSelector(".diagram-paper .component");
  assert.ok(await page.isHidden("#tab-eigen"), "a saved page cannot compute");
  assert.deepEqual(faults(), []);
  await page.close();
});

test("ten million points are reduced before they are drawn", async () => {
  const { page, faults } = await open(`file://${folder}/views.html`);
  const counted = await page.evaluate(async () => {
    const { app, page: view } = window.lieder;
    const n = 1e7;
    const index = app.model.byName.get("prismatic.s");
    app.run.time = Float64Array.from({ length: n }, (_, i) => (10 * i) / (n - 1));
    app.run.rows = n;
    app.run.columns.clear();
    app.run.columns.set(index, app.run.time.map((t) => Math.sin(1e5 * t)));
    view.plots.panels = view.plots.panels.filter((panel) => panel.names.includes("prismatic.s"));
    view.plots.show();
    let points = 0;
    const { lineTo } = Path2D.prototype;
    Path2D.prototype.lineTo = function (...at) {
      points++;
      return lineTo.apply(this, at);
    };
    view.plots.refresh();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return { points, width: view.plots.panels[0].plot.bbox.width };
  });
  assert.ok(counted.points > counted.width && counted.points < 8 * counted.width, `${counted.points} points on ${counted.width} pixels`);
  assert.deepEqual(faults(), []);
  await page.close();
});

test("the page works at 1000 pixels and on a large screen, in both themes", () =>
  withPage([crab], async (page) => {
    for (const [width, height] of [[1000, 640], [2560, 1440]])
      for (const theme of ["light", "dark"]) {
        await page.setViewportSize({ width, height });
        await page.evaluate((t) => (document.documentElement.dataset.theme = t), theme);
        await page.waitForTimeout(200);
        const bad = await page.evaluate(() => {
          const outside = [...document.querySelectorAll("button, select, input")].filter((e) => {
            const box = e.getBoundingClientRect();
            return e.offsetParent && box.width && (box.right > innerWidth + 1 || box.left < -1);
          });
          return { wide: document.documentElement.scrollWidth > innerWidth, outside: outside.map((e) => e.outerHTML.slice(0, 80)), plot: document.querySelector(".plot-host").clientHeight };
        });
        assert.equal(bad.wide, false);
        assert.deepEqual(bad.outside, []);
        assert.ok(bad.plot > 60);
      }
  }));

