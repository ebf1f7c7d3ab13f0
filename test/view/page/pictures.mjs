// pictures.mjs - the pictures of docs/viewer.md, taken from the page itself: node pictures.mjs FOLDER
import { closeBrowser, folder, lieder, model, open, serve } from "./browser.mjs";

const to = process.argv[2] ?? ".";
const SIZE = { width: 1200, height: 750 };

/** one picture: what is served, theme, and what is done on the page before */
async function take(name, args, theme, action, size = SIZE) {
  const server = await serve(...args);
  const { page } = await open(server.address);
  await page.setViewportSize(size);
  await page.evaluate((dark) => document.documentElement.dataset.theme !== dark && document.dispatchEvent(new KeyboardEvent("keydown", { key: "d", bubbles: true })), theme);
  await page.waitForTimeout(300);
  await action(page);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${to}/view_${name}.png` });
  await page.close();
  await server.end();
  console.log(`view_${name}.png`);
}

const at = (page, t) => page.evaluate((time) => window.lieder.setTime(time), t);
const crab = model("crane_crab.mo");

await take("crane_crab", [crab], "light", async (page) => {
  await at(page, 1.2);
  await page.keyboard.press("v");
});
await take("crane_crab_dark", [crab], "dark", async (page) => {
  await page.keyboard.press("p");
  await page.locator('input.number[aria-label^="loadMass"]').fill("4");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.lieder.app.run.constants[window.lieder.app.model.byName.get("loadMass")] === 4);
  await page.evaluate(() => document.activeElement.blur());
  await at(page, 1.2);
});
await take("gripper", [model("papers/phenomena/gripper.mo")], "light", (page) => at(page, 1.2));
await take("gripper_diagram", [model("papers/phenomena/gripper.mo")], "dark", async (page) => {
  await page.keyboard.press("2");
  await page.waitForSelector(".component");
  await page.evaluate(() => document.querySelector(".centre").style.setProperty("--scene-share", "74%"));
  await page.waitForTimeout(300);
  await page.keyboard.press("f");
  await page.locator('[data-component="hoistControl"]').click();
});
await take("landing_gear", [model("papers/001/landing_gear.mo")], "dark", (page) => at(page, 0.6));
await take("eigenvalues", [model("papers/001/landing_gear.mo")], "light", async (page) => {
  await page.keyboard.press("3");
  await page.waitForSelector(".plane .eigen-mark");
  await page.selectOption(".eigen select", "rk4");
});
await take("fleet", [model("scale/Fleet.mo"), "--override", "n=96"], "light", (page) => at(page, 0.5));
await take("circuit", [model("circuit.mo")], "light", async (page) => {
  await page.waitForSelector(".component");
  await page.locator('[data-component="diode"]').click();
  await at(page, 3e-5);
});
lieder("sweep", crab, "--vary", "loadMass=0.5:2:16", "--vary", "l=0.5:2:10", "--record", "revolute\\.phi|prismatic\\.s", "--solver", "rk4", "--step", "1e-3", "--interval", "0.05", "-o", "sweep.csv");
await take("sweep", [`${folder}/sweep.csv`], "dark", async (page) => {
  await page.waitForFunction(() => window.lieder.page.sweep.members.length === 160);
  await page.selectOption('select[aria-label="Variable of the sweep"]', "prismatic.s");
  await page.waitForTimeout(500);
  await page.selectOption('select[aria-label="What is shown of each member"]', "max");
  await page.evaluate(() => window.lieder.page.sweep.choose(window.lieder.page.sweep.members[77]));
});
await closeBrowser();
