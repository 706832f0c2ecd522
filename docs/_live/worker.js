// Python for one page. It takes {load} once, then {run}, and sends {progress}, {ready}, {show}, {done} and {broken}.

import { loadPyodide, version } from "pyodide";

const HOME = "/home/pyodide"; // where Pyodide's Python starts, and looks for modules
const EMPTY_MODULE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);

let pyodide, run;
let ready; // a promise
const progress = { bytes: 0, total: 0 };
const fetchUncounted = self.fetch;

const send = (type, content) => self.postMessage({ type, ...content });
const own = (name) => new URL(name + self.location.search, self.location).href; // the query tells versions apart

/** Pyodide's fetch: counts the bytes, and says which file is missing or altered, for Pyodide might wait for ever. */
self.fetch = async (address, { integrity } = {}) => {
  const url = new URL(address, self.location);
  const name = url.pathname.split("/").pop();
  const fail = (error) => {
    send("broken", { reason: error.reason ?? "missing", name });
    throw error;
  };
  try {
    const checkedHere = integrity && self.crypto.subtle; // the browser's check would hold the bytes back until the last
    const response = await fetchUncounted(url, integrity && !checkedHere ? { integrity } : {});
    if (!response.ok) throw new Error(response.status);
    const { headers } = response;
    const { readable, writable } = counter(SIZES[name] ?? 0);
    response.body.pipeTo(writable).catch(fail);
    if (!checkedHere) return new Response(readable, { headers });
    const bytes = await new Response(readable).arrayBuffer();
    if (integrity !== (await sha256(bytes))) throw Object.assign(new Error(name), { reason: "altered" });
    return new Response(bytes);
  } catch (error) {
    return fail(error);
  }
};

function counter(size) {
  progress.total += size;
  return new TransformStream({
    transform(chunk, controller) {
      if (size) send("progress", { bytes: (progress.bytes += chunk.length), total: progress.total });
      controller.enqueue(chunk);
    },
  });
}

async function sha256(bytes) {
  const digest = new Uint8Array(await self.crypto.subtle.digest("SHA-256", bytes));
  return "sha256-" + btoa(String.fromCharCode(...digest));
}

async function load({ pyodideURL, code }) {
  try {
    new WebAssembly.Module(EMPTY_MODULE); // Pyodide would wait for ever where a policy forbids it
  } catch {
    return send("broken", { reason: "no_wasm" });
  }
  const indexURL = pyodideURL || new URL(`pyodide-${version}/`, self.location).href;
  import(indexURL + "pyodide.asm.js").catch(() => send("broken", { reason: "missing", name: "pyodide.asm.js" }));
  const home = fetch(own("home.zip"));
  pyodide = await loadPyodide({
    indexURL,
    lockFileURL: own("pyodide-lock.json"),
    packages: ["numpy"],
    env: { HOME, MATPLOTLIBRC: HOME, MPLBACKEND: "module://figures" },
  });
  pyodide.unpackArchive(await (await home).arrayBuffer(), "zip", { extractDir: HOME });
  run = pyodide.pyimport("runner").run;
  send("ready");
  pyodide.loadPackagesFromImports(code); // what the page is going to need, before anyone asks for it
}

self.onmessage = async ({ data }) => {
  try {
    if (data.type === "load") {
      await (ready = load(data));
    } else {
      await ready;
      await pyodide.loadPackagesFromImports(data.code);
      const error = run(data.code, data.name, (kind, content) => send("show", { kind, content }));
      send("done", { error });
    }
  } catch (error) {
    send("broken", { reason: "crashed", name: String(error) });
  }
};
