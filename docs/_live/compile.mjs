// node compile.mjs PYODIDE LOCK WHEELS OUT: run compile.py in Pyodide, with wheels from a folder, for files in another.

import { readFileSync } from "node:fs";

const [indexURL, lockFileURL, packageCacheDir, out] = process.argv.slice(2);
const { loadPyodide } = await import(`${indexURL}/pyodide.mjs`);
const pyodide = await loadPyodide({
  indexURL,
  lockFileURL,
  packageCacheDir,
  packages: ["matplotlib"],
  env: { MPLBACKEND: "svg", PYTHONHASHSEED: "0" }, // the same bytes each time
});
pyodide.FS.mkdir("/out");
pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: out }, "/out");
pyodide.runPython(readFileSync(new URL("compile.py", import.meta.url), "utf8"));
