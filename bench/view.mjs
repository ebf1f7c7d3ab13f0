// view.mjs - figures of the viewer, in Debian's Chromium with software rendering: make bench-view. Times depend on the machine
// and on what else runs on it: each is the best of several.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { closeBrowser, folder, lieder, model, open, root, serve } from "../test/view/page/browser.mjs";

const crab = model("crane_crab.mo");
const show = (what, value, limit) => console.log(`${what.padEnd(58)} ${String(value).padStart(10)}   limit ${limit}`);

const web = `${root}build/web`;
const bundle = readdirSync(web).filter((name) => name.endsWith(".gz")).reduce((sum, name) => sum + statSync(`${web}/${name}`).size, 0);
show("bundle, compressed, kB", (bundle / 1000).toFixed(1), 250);
lieder("view", crab, "--save", "crab.html");
show("saved page of 10 s of crane crab, kB", (readFileSync(`${folder}/crab.html`).length / 1000).toFixed(1), 800);

const firsts = [];
const sliders = [];
const server = await serve("--keep", crab);
for (let i = 0; i < 5; i++) {
  const { page } = await open(server.address);
  await page.waitForFunction(() => window.lieder.page.scene.firstPicture);
  firsts.push(await page.evaluate(() => window.lieder.page.scene.firstPicture));
  sliders.push(
    await page.evaluate(async () => {
      const { app, page: view } = window.lieder;
      const field = [...view.parameters.fields.values()].find((f) => f.variable.name === "loadMass");
      let best = Infinity;
      for (let k = 0; k < 20; k++) {
        const before = app.run.number;
        const begun = performance.now();
        view.parameters.set(field, 1 + 0.01 * k);
        while (app.run.number === before) await new Promise((resolve) => setTimeout(resolve, 1));
        best = Math.min(best, performance.now() - begun);
      }
      return best;
    }),
  );
  await page.close();
}
await server.end();
show("page up to the first picture, ms", Math.min(...firsts).toFixed(0), 500);
show("slider to new curves, 10 s of crane crab, ms", Math.min(...sliders).toFixed(1), 50);

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
