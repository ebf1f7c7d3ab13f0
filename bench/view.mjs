// view.mjs - figures of the viewer, in Debian's Chromium with software rendering: make bench-view. Times by the clock depend on
// the machine and on what else runs on it: each is the best of several. Beside them stand the processor times of the program and of
// the page's main thread, which a busy machine changes little.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { loadavg } from "node:os";
import { closeBrowser, folder, lieder, model, open, root, serve } from "../test/view/page/browser.mjs";

const crab = model("crane_crab.mo");
const show = (what, value, limit) => console.log(`${what.padEnd(58)} ${String(value).padStart(10)}   ${limit === "" ? "" : `limit ${limit}`}`);

const web = `${root}build/web`;
const bundle = readdirSync(web).filter((name) => name.endsWith(".gz")).reduce((sum, name) => sum + statSync(`${web}/${name}`).size, 0);
show("bundle, compressed, kB", (bundle / 1000).toFixed(1), 250);
lieder("view", crab, "--save", "crab.html");
show("saved page of 10 s of crane crab, kB", (readFileSync(`${folder}/crab.html`).length / 1000).toFixed(1), 800);

/** processor time of a process, ms */
const processTime = (child) => {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
};
/** processor time of the page's main thread so far, ms */
async function pageTime(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * metrics.find((m) => m.name === "TaskDuration").value;
}

const RUNS = 20;
const firsts = [];
const firstThread = [];
const sliders = [];
const thread = [];
const program = [];
const server = await serve("--keep", crab);
for (let i = 0; i < 5; i++) {
  const { page } = await open(server.address);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.reload(); // counted from its begin
  await page.waitForFunction(() => window.lieder?.page.scene?.firstPicture);
  firsts.push(await page.evaluate(() => window.lieder.page.scene.firstPicture));
  firstThread.push(await pageTime(session));
  await page.waitForFunction(() => window.lieder.app.run?.done);
  await page.waitForTimeout(500);
  const before = [await pageTime(session), processTime(server.child)];
  sliders.push(
    await page.evaluate(async (RUNS) => {
      const { app, page: view } = window.lieder;
      const field = [...view.parameters.fields.values()].find((f) => f.variable.name === "loadMass");
      let best = Infinity;
      for (let k = 0; k < RUNS; k++) {
        const before = app.run.number;
        const begun = performance.now();
        view.parameters.set(field, 1 + 0.01 * k);
        while (app.run.number === before) await new Promise((resolve) => setTimeout(resolve, 1));
        best = Math.min(best, performance.now() - begun);
      }
      return best;
    }, RUNS),
  );
  await page.waitForTimeout(300);
  thread.push((await pageTime(session) - before[0]) / RUNS);
  program.push((processTime(server.child) - before[1]) / RUNS);
  await page.close();
}
await server.end();
const best = (list) => Math.min(...list);
console.log(`load ${loadavg()[0].toFixed(1)}`);
show("page up to the first picture, ms", best(firsts).toFixed(0), 500);
show("  processor time of the page's thread, ms", best(firstThread).toFixed(0), "");
show("slider to new curves, 10 s of crane crab, ms", best(sliders).toFixed(1), 50);
show("  processor time of the program, ms", best(program).toFixed(1), "");
show("  of the page's thread, with drawing, ms", best(thread).toFixed(1), "");

// a sweep of 15 x 9 members from the page, as the server answers it
const swept = await serve(crab);
{
  const { page } = await open(swept.address);
  await page.keyboard.press("4");
  await page.selectOption('select[aria-label="Vary"]', "loadMass");
  await page.selectOption('select[aria-label="and"]', "l");
  for (const solver of ["", "rk4"]) {
    await page.evaluate((s) => {
      if (s) Object.assign(window.lieder.app.settings, { solver: s, step: 1e-3 });
    }, solver);
    const before = processTime(swept.child);
    await page.getByRole("button", { name: "Run the sweep" }).click();
    await page.waitForFunction(() => window.lieder.page.sweep.members.length === 135 && !window.lieder.page.sweep.running);
    show(`135 members of a sweep, ${solver || "bdf"}: processor time of the program, ms`, processTime(swept.child) - before, "");
  }
  await page.close();
  await swept.end();
}

const fleet = await serve(model("scale/Fleet.mo"), "--override", "n=10000");
const { page } = await open(fleet.address);
await page.waitForFunction(() => window.lieder.page.scene.main);
const drawn = await page.evaluate(() => {
  const { scene } = window.lieder.page;
  scene.draw();
  return [scene.main.mechanism.lanes, scene.renderer.info.render.calls];
});
show(`draw calls for ${drawn[0]} mechanisms`, drawn[1], 12);
await page.close();
await fleet.end();
await closeBrowser();
