// Python for one page. It takes {load} once, then {run}, and sends {progress}, {ready}, {show}, {done} and {broken}.

import { loadPyodide, version } from "pyodide";

const HOME = "/home/pyodide"; // where Pyodide's Python starts, and looks for modules
const EMPTY_MODULE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
const ALL_AT_ONCE = { highWaterMark: Infinity };

let pyodide, run;
let ready; // a promise
let places; // where our files are
const early = new Map(); // what is fetched before Pyodide asks for it, by address
const progress = { bytes: 0, total: 0 };
const fetchUncounted = self.fetch;

const send = (type, content) => self.postMessage({ type, ...content });
const own = (name) => new URL(name + self.location.search, self.location).href; // the query tells versions apart

/** Pyodide's fetch. It would ask for one file after the other, and wait for ever for one that is missing. */
self.fetch = (address, options) => {
  const { href } = new URL(address, self.location);
  if (!places.some((place) => href.startsWith(place))) return fetchUncounted(address, options); // of a reader's code
  const answer = early.get(href) ?? fetchCounted(href, options);
  early.delete(href);
  return answer;
};

/** Fetch one of our files, count its bytes, and tell when it is missing or altered. */
async function fetchCounted(href, { integrity, after } = {}) {
  const name = new URL(href).pathname.split("/").pop();
  const size = FILES[name]?.size ?? 0;
  progress.total += size;
  await after;
  const fail = (error) => {
    send("broken", { reason: error.reason ?? "missing", name });
    throw error;
  };
  try {
    const checkedHere = integrity && self.crypto.subtle; // the browser's check would hold the bytes back until the last
    const response = await fetchUncounted(href, integrity && !checkedHere ? { integrity } : {});
    if (!response.ok) throw new Error(response.status);
    const { headers } = response;
    const { readable, writable } = counter(size > 0);
    response.body.pipeTo(writable).catch(fail);
    if (!checkedHere) return new Response(readable, { headers });
    const bytes = await new Response(readable).arrayBuffer();
    if (integrity !== (await sha256(bytes))) throw Object.assign(new Error(name), { reason: "altered" });
    return new Response(bytes);
  } catch (error) {
    return fail(error);
  }
}

function counter(counts) {
  const transform = (chunk, controller) => {
    if (counts) send("progress", { ...progress, bytes: (progress.bytes += chunk.length) });
    controller.enqueue(chunk);
  };
  return new TransformStream({ transform }, ALL_AT_ONCE, ALL_AT_ONCE);
}

async function sha256(bytes) {
  const digest = new Uint8Array(await self.crypto.subtle.digest("SHA-256", bytes));
  return "sha256-" + btoa(String.fromCharCode(...digest));
}

/** Ask for what a page with this code is going to need: all at once what Python needs to start, then the rest. */
function fetchEarly(indexURL, code) {
  const first = [];
  for (const [name, { integrity, onlyFor }] of Object.entries(FILES)) {
    if (onlyFor && !code.includes(onlyFor)) continue;
    const answer = fetchCounted(indexURL + name, { integrity, after: onlyFor && Promise.allSettled(first) });
    if (!onlyFor) first.push(answer);
    early.set(indexURL + name, answer);
  }
}

async function load({ pyodideURL, code }) {
  try {
    new WebAssembly.Module(EMPTY_MODULE); // Pyodide would wait for ever where a policy forbids it
  } catch {
    return send("broken", { reason: "no_wasm" });
  }
  const indexURL = pyodideURL || new URL(`pyodide-${version}/`, self.location).href;
  places = [new URL(".", self.location).href, indexURL];
  fetchEarly(indexURL, code);
  const home = fetch(own("home.zip"));
  try {
    await import(indexURL + "pyodide.asm.js");
  } catch {
    return send("broken", { reason: "missing", name: "pyodide.asm.js" });
  }
  pyodide = await loadPyodide({
    indexURL,
    lockFileURL: own("pyodide-lock.json"),
    packages: ["numpy"],
    env: { HOME, MATPLOTLIBRC: HOME, MPLBACKEND: "module://figures" },
  });
  pyodide.unpackArchive(await (await home).arrayBuffer(), "zip", { extractDir: HOME });
  run = pyodide.pyimport("runner").run;
  send("ready");
  loadPackages(code); // before anyone asks for them
}

const loadPackages = (code) => pyodide.loadPackagesFromImports(code, { messageCallback() {} });

self.onmessage = async ({ data }) => {
  try {
    if (data.type === "load") {
      await (ready = load(data));
    } else {
      await ready;
      await loadPackages(data.code);
      const failed = run(data.code, data.name, (kind, content) => send("show", { kind, content }));
      send("done", { failed });
    }
  } catch (error) {
    send("broken", { reason: "crashed", name: String(error) });
  }
};
