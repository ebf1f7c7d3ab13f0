// crane_crab.test.mjs - the crane crab on the page is the one of the command line: its place, its numbers, its keys.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readFileSync } from "node:fs";
import { closeBrowser, folder, lieder, model, open, readCsv, serve } from "./browser.mjs";

after(closeBrowser);
const crab = model("crane_crab.mo");

async function withCrab(action) {
  const server = await serve(crab);
  const view = await open(server.address);
  try {
    await action(view, server);
    assert.deepEqual(view.faults(), []);
    const outside = view.asked.filter((url) => !url.startsWith(server.address.split("/#")[0] + "/") && !url.startsWith("blob:") && !url.startsWith("data:"));
    assert.deepEqual(outside, [], "no request leaves the machine");
  } finally {
    await view.page.close();
    await server.end();
  }
}

/** moves the cursor to a row, and waits until it is shown */
const toRow = (page, row) => page.evaluate(async (k) => {
  const { app } = window.lieder;
  window.lieder.setTime(app.run.time[k]);
  for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
}, row);

/** centres of the two blue bodies in the picture, in pixels of the scene */
const bodies = (page) => page.evaluate(async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const source = document.querySelector("canvas[data-scene]");
  const canvas = Object.assign(document.createElement("canvas"), { width: source.width, height: source.height });
  const c = canvas.getContext("2d");
  c.drawImage(source, 0, 0);
  const { data } = c.getImageData(0, 0, canvas.width, canvas.height);
  const points = [];
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - 0x00) + Math.abs(data[i + 1] - 0x72) + Math.abs(data[i + 2] - 0xb2) < 12 && data[i + 3] > 250)
      points.push([(i / 4) % canvas.width, Math.floor(i / 4 / canvas.width)]);
  let a = points[0];
  let b = points.at(-1);
  const near = (p, q) => (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2;
  const middle = (list) => [list.reduce((s, p) => s + p[0], 0) / list.length, list.reduce((s, p) => s + p[1], 0) / list.length];
  for (let k = 0; k < 20; k++) {
    const first = points.filter((p) => near(p, a) < near(p, b));
    const second = points.filter((p) => near(p, a) >= near(p, b));
    [a, b] = [middle(first), middle(second)];
  }
  return { cart: a, load: b, scale: window.lieder.page.scene.scale, n: points.length };
});

test("the bodies are where lieder draw draws them", () =>
  withCrab(async ({ page }) => {
    lieder("simulate", crab, "-o", "crab.csv");
    const { rows } = readCsv("crab.csv");
    for (const row of [0, 40, 123, 377]) {
      const t = rows[row][0];
      lieder("draw", "crab.csv", "--model", crab, "--frames", "1", "--from", String(t - 1e-9), "--to", String(t + 1e-9), "-o", "one.svg");
      const svg = readFileSync(`${folder}/one.svg`, "utf8");
      const circles = [...svg.matchAll(/<circle[^>]*cx='([-0-9.e]+)'[^>]*cy='([-0-9.e]+)'[^>]*/g)].filter((m) => /#0072b2/i.test(m[0])).map((m) => [Number(m[1]), Number(m[2])]);
      assert.equal(circles.length, 2, "two bodies in the picture of lieder draw");
      const [cart, load] = circles.sort((p, q) => p[1] - q[1]);
      const length = Math.hypot(load[0] - cart[0], load[1] - cart[1]); // the rod is 1 m long
      await toRow(page, row);
      const seen = await bodies(page);
      assert.ok(seen.n > 100);
      const metres = [(seen.load[0] - seen.cart[0]) / seen.scale, (seen.load[1] - seen.cart[1]) / seen.scale];
      const drawn = [(load[0] - cart[0]) / length, (load[1] - cart[1]) / length];
      // a pixel is 0.003 m; the line of the rod covers a part of the bodies
      assert.ok(Math.hypot(metres[0] - drawn[0], metres[1] - drawn[1]) < 0.012, `${metres} and ${drawn} at t = ${t}`);
    }
  }));

test("values at the cursor are those of the file", () =>
  withCrab(async ({ page }) => {
    lieder("simulate", crab, "-o", "crab.csv");
    const { names, rows } = readCsv("crab.csv");
    for (const row of [0, 1, 250, 500]) {
      await toRow(page, row);
      assert.equal(await page.getAttribute("output.clock", "data-time"), String(rows[row][0]));
      for (const name of ["prismatic.s", "prismatic.v", "revolute.phi", "der(revolute.w)"]) {
        const shown = Number(await page.getAttribute(`[data-key="${name}"]`, "data-value"));
        const expected = rows[row][names.indexOf(name)];
        assert.ok(Math.abs(shown - expected) <= 1e-15 * Math.abs(expected), `${name}: ${shown}, not ${expected}`);
      }
    }
    // what the eye reads
    await toRow(page, 250);
    const text = await page.textContent('[data-key="revolute.phi"] .value');
    assert.ok(Math.abs(Number(text.replace("−", "-")) - rows[250][names.indexOf("revolute.phi")]) < 1e-4);
  }));

test("a slider gives the curve of simulate --override", () =>
  withCrab(async ({ page }) => {
    const before = await page.evaluate(() => window.lieder.app.run.number);
    await page.locator('input.slider[data-name="world.g"]').focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((n) => {
      const { run, settings, model } = window.lieder.app;
      return run.number > n && run.constants[model.byName.get("world.g")] === Number(settings.set["world.g"]);
    }, before);
    const { value, phi } = await page.evaluate(() => ({
      value: window.lieder.app.settings.set["world.g"],
      phi: [...window.lieder.app.run.column(window.lieder.app.model.byName.get("revolute.phi"))],
    }));
    assert.notEqual(Number(value), 9.81);
    lieder("simulate", crab, "--override", `world.g=${value}`, "-o", "changed.csv");
    const { names, rows } = readCsv("changed.csv");
    assert.equal(phi.length, rows.length);
    rows.forEach((row, i) => assert.ok(Math.abs(phi[i] - row[names.indexOf("revolute.phi")]) <= 1e-15 * Math.abs(phi[i])));
    // a number that is typed, and the way back
    await page.locator('input.number[aria-label^="world.g"]').fill("1.62");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => window.lieder.app.run.constants[window.lieder.app.model.byName.get("world.g")] === 1.62);
    await page.locator(".field.changed button").click();
    await page.waitForFunction(() => window.lieder.app.run.constants[window.lieder.app.model.byName.get("world.g")] === 9.81);
  }));

test("what is wrong is shown as the command line says it, and the curves stay", () =>
  withCrab(async ({ page }) => {
    await page.locator('input.number[aria-label^="cart.m"]').fill("-3");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".message.error");
    assert.match(await page.textContent(".messages"), /cart.*m/s);
    assert.equal(await page.evaluate(() => window.lieder.app.run.rows), 501);
  }));

test("everything works by keyboard", () =>
  withCrab(async ({ page }) => {
    const state = () => page.evaluate(() => ({ t: window.lieder.app.t, playing: window.lieder.app.playing }));
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.equal((await state()).t, 0.02);
    await page.keyboard.press("Shift+ArrowRight");
    assert.ok(Math.abs((await state()).t - 0.22) < 1e-9);
    await page.keyboard.press("End");
    assert.equal((await state()).t, 10);
    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    // frames are few on a busy machine; the third row is passed, since the cursor goes back to the row that is shown
    await page.waitForFunction(() => window.lieder.app.t > window.lieder.app.run.time[3]);
    assert.equal((await state()).playing, true);
    await page.keyboard.press("Space");
    const rest = await state();
    assert.ok(rest.t > 0.05 && !rest.playing, JSON.stringify(rest));
    // it rests on a row
    assert.ok(await page.evaluate(() => window.lieder.app.run.time.includes(window.lieder.app.t)));
    // a variable into a plot, and out of it
    await page.keyboard.press("/");
    await page.keyboard.type("load frame_a.ay");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForSelector('.legend [data-name="load.frame_a.ay"]');
    await page.keyboard.press("Enter");
    await page.waitForSelector('.legend [data-name="load.frame_a.ay"]', { state: "detached" });
    await page.evaluate(() => document.activeElement.blur());
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const before = await theme();
    await page.keyboard.press("d");
    assert.notEqual(await theme(), before);
    await page.keyboard.press("p");
    await page.waitForSelector(".pin");
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("dialog.help"));
    await page.keyboard.press("Escape");
    // every control has a name
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select")].filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML),
    );
    assert.deepEqual(nameless, []);
  }));

test("plots are saved with the numbers that they show", () =>
  withCrab(async ({ page }) => {
    lieder("simulate", crab, "-o", "crab.csv");
    const { names, rows } = readCsv("crab.csv");
    const save = async (item) => {
      await page.locator(".panel").nth(1).locator('button[aria-label="More about this plot"]').click();
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByText(item).click()]);
      const path = `${folder}/${download.suggestedFilename()}`;
      await download.saveAs(path);
      return path;
    };
    const lines = readFileSync(await save("Save the numbers as CSV"), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
    assert.equal(lines.length, rows.length);
    lines.forEach((line, i) => {
      const expected = rows[i][names.indexOf("revolute.phi")];
      assert.ok(Math.abs(line[1] - expected) <= 1e-15 * Math.abs(expected));
    });
    assert.match(readFileSync(await save("Save as SVG"), "utf8"), /revolute\.phi[^]*time \/ s/);
    assert.equal(readFileSync(await save("Save as PNG")).readUInt32BE(0), 0x89504e47);
  }));

test("a saved page opens from the disk, moves, and asks for nothing", async () => {
  lieder("view", crab, "--save", "crab.html");
  const size = readFileSync(`${folder}/crab.html`).length;
  assert.ok(size < 800_000, `${size} bytes`);
  const { page, faults, asked } = await open(`file://${folder}/crab.html`);
  const first = await bodies(page);
  await page.keyboard.press("Space");
  // frames are rare where other programs take the processor
  const moved = async () => {
    const now = await bodies(page);
    return Math.hypot(now.load[0] - first.load[0], now.load[1] - first.load[1]) > 20;
  };
  let hasMoved = false;
  for (let i = 0; i < 50 && !hasMoved; i++) {
    await page.waitForTimeout(200);
    hasMoved = await moved();
  }
  await page.keyboard.press("Space");
  assert.ok(hasMoved, "the load has moved");
  assert.deepEqual(asked.filter((url) => !url.startsWith("file:") && !url.startsWith("data:")), []);
  assert.deepEqual(faults(), []);
  lieder("simulate", crab, "-o", "crab.csv");
  const { names, rows } = readCsv("crab.csv");
  const t = await page.evaluate(() => ({ row: window.lieder.app.run.rowAt(window.lieder.app.t), phi: window.lieder.app.run.value(window.lieder.app.model.byName.get("revolute.phi"), window.lieder.app.t) }));
  assert.ok(Math.abs(t.phi - rows[t.row][names.indexOf("revolute.phi")]) <= 1e-15 * Math.abs(t.phi));
  await page.close();
});

test("the page says when the program has ended, and the program ends when the page is closed", async () => {
  const server = await serve(crab);
  const { page } = await open(server.address);
  await server.end();
  await page.waitForSelector(".message.error");
  assert.match(await page.textContent(".messages"), /has ended/);
  await page.close();
  const other = await serve(crab);
  const view = await open(other.address);
  const ended = new Promise((resolve) => other.child.once("exit", resolve));
  await view.page.close();
  assert.equal(await ended, 0);
});

test("a page without the token sees nothing", async () => {
  const server = await serve(crab);
  const { page } = await open(server.address);
  const refused = await page.evaluate(async () => (await fetch("/api/run", { method: "POST", headers: { "Content-Type": "application/json", "X-Lieder-Token": "00000000000000000000000000000000" }, body: "{}" })).status);
  assert.equal(refused, 403);
  await page.goto("about:blank");
  await page.goto(server.address.replace(/#.*/, "#00000000000000000000000000000000"));
  await page.waitForSelector(".message.error");
  assert.match(await page.textContent(".messages"), /address has expired/);
  assert.equal(await page.evaluate(() => window.lieder.app.run), null);
  await page.close();
  await server.end();
});
