// browser.mjs - one program and one page for a test: started, watched, and ended.
import { chromium } from "playwright-core";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const program = process.env.LIEDER ?? `${root}build/lieder`;
export const model = (name) => `${root}models/${name}`;

/** a folder that goes away with the tests */
export const folder = mkdtempSync(`${tmpdir()}/lieder_view_`);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** lieder with these arguments, to its end */
export function lieder(...args) {
  const done = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`lieder ${args.join(" ")}: ${done.status}\n${done.stderr}`);
  return done.stdout;
}

/** {names, rows: [[...]]} */
export function readCsv(name) {
  const [head, ...lines] = readFileSync(`${folder}/${name}`, "utf8").trim().split("\n");
  return { names: JSON.parse(`[${head}]`), rows: lines.map((line) => line.split(",").map(Number)) };
}

let browser;
export async function closeBrowser() {
  await browser?.close();
}

/** lieder view with these arguments */
export const serve = (...args) => start("view", "--no-open", ...args);

/** the program with these arguments, which prints an address */
export async function start(...args) {
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    child.stdout.once("data", (data) => resolve(String(data).trim()));
    child.once("exit", (code) => reject(new Error(`lieder view ended with ${code}`)));
  });
  return { child, address, end: () => new Promise((resolve) => (child.once("exit", resolve), child.kill("SIGINT"))) };
}

/** a page at an address; what it says, and where it goes, is kept */
export async function open(address, options = {}) {
  browser ??= await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: "--no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --use-angle=swiftshader --enable-unsafe-swiftshader".split(" "),
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const said = [];
  const asked = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(address);
  page.setDefaultTimeout(120_000);
  const ready = options.running ? () => window.lieder?.app.run : () => window.lieder?.app.run?.done;
  await page.waitForFunction(ready, null, { timeout: 120_000 });
  await page.waitForTimeout(200);
  // what software rendering says about itself is no fault of the page
  const faults = () => said.filter((text) => !/GPU stall|WebGL.*fallback|software/i.test(text));
  return { page, faults, asked };
}
