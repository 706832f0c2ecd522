// node bundle.mjs SOURCE SITE FILE…
//
// Make one style sheet and one script of files in the folder SOURCE, without the rules that nothing on the site uses.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import esbuild from "esbuild";
import { PurgeCSS } from "purgecss";

const [source, site, ...files] = process.argv.slice(2);
const styleSheet = join(site, "_static/book.css");
const script = join(site, "_static/book.js");

const scripts = files
  .filter((name) => name.endsWith(".js"))
  .map((name) => readFileSync(join(source, name), "utf-8"))
  // the theme tells the console what it does; a reader's console shows what went wrong
  .map((text) => esbuild.transformSync(text, { minify: true, pure: ["console.debug", "console.info", "console.log"] }));
writeFileSync(script, scripts.map(({ code }) => code).join(";"));

const imports = files.filter((name) => name.endsWith(".css")).map((name) => `@import "./${name}";`);
esbuild.buildSync({
  stdin: { contents: imports.join("\n"), resolveDir: source, loader: "css" },
  bundle: true,
  loader: { ".png": "dataurl", ".woff2": "copy" },
  assetNames: "[name]",
  outfile: styleSheet,
});

const bundled = readFileSync(styleSheet, "utf-8");
const [{ css }] = await new PurgeCSS().purge({
  content: readdirSync(site, { recursive: true })
    .filter((name) => /\.(html|js)$/.test(name))
    .map((name) => join(site, name)),
  css: [{ raw: bundled }],
  dynamicAttributes: bundled.match(/(?<=\[)[\w-]+/g), // attributes change, so a rule never goes because of one
  safelist: { greedy: [/^bs-tooltip/] }, // Bootstrap puts the name together from two parts
});
writeFileSync(styleSheet, esbuild.transformSync(css, { loader: "css", minify: true }).code);
