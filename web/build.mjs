// build.mjs - bundles the page into a folder: index.html.gz, app.js.gz and app.css.gz, which the program
// embeds as they are and serves with Content-Encoding: gzip.
import { build } from "esbuild";
import { gzipSync } from "node:zlib";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const MAX_COMPRESSED = 250_000; // bytes of all files together
const out = process.argv[2];
if (!out) throw new Error("build.mjs needs a folder");
mkdirSync(out, { recursive: true });

const result = await build({
  entryPoints: { app: "src/main.js" },
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  write: false,
  outdir: out,
});
const files = new Map(result.outputFiles.map((f) => [f.path.replace(/.*\//, ""), f.contents]));
files.set("index.html", readFileSync("index.html"));
let total = 0;
for (const name of ["index.html", "app.js", "app.css"]) {
  // level 9, and no time in the head: the same sources give the same bytes
  const bytes = gzipSync(files.get(name), { level: 9 });
  total += bytes.length;
  writeFileSync(`${out}/${name}.gz`, bytes);
}
if (total > MAX_COMPRESSED)
  throw new Error(`the page has ${total} bytes compressed, more than ${MAX_COMPRESSED}`);
console.log(`viewer: page of ${(total / 1000).toFixed(0)} kB, compressed`);
