// Makes the cells of a chapter editable and runs them. They share one namespace, in the order of the page.

import { Cell, sourceOf } from "./cell.js";
import { element } from "./dom.js";
import { Edits } from "./edits.js";
import { Python, Stopped } from "./python.js";
import WORDS from "./words.json";

const own = (name) => new URL(name + new URL(import.meta.url).search, import.meta.url).href; // the query tells versions apart

const words = WORDS[document.documentElement.lang.split("-")[0]] ?? WORDS.en;
const say = (key, values = {}) => words[key].replace(/{(\w+)}/g, (_, name) => values[name]);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** `bar`, the element below the title, becomes the page's controls. */
export async function open(bar) {
  await addStyleSheet(own("page.css"));
  new Page(bar).start();
}

function addStyleSheet(href) {
  return new Promise((resolve, reject) => {
    document.head.append(element("link", { rel: "stylesheet", href, onload: resolve, onerror: reject }));
  });
}

class Page {
  requests = []; // from one cell to another, the first being served
  current = 0; // so many cells, from the top, have run as they stand
  isReady = false;

  constructor(bar) {
    const all = [...document.querySelectorAll("div.cell")].filter((root) => root.querySelector("div.cell_input pre"));
    const roots = all.filter((root) => !root.classList.contains("tag_not-live"));
    for (const root of all.filter((root) => !roots.includes(root))) {
      root.querySelector("div.cell_input").append(element("p", { className: "live-note" }, say("not_live")));
    }
    const sources = roots.map(sourceOf);
    this.edits = new Edits(bar.dataset.page, sources);
    this.cells = roots.map((root, index) => new Cell(root, index + 1, this.edits.of(sources[index]), this, say));
    this.python = new Python(
      {
        workerURL: own("worker.js"),
        pyodideURL: bar.dataset.pyodide,
        code: sources.join("\n"),
      },
      this,
    );
    const button = (key, act) => element("button", { type: "button", onclick: act }, say(key));
    const runAll = button("run_all", () => this.request(this.cells.length - 1, 0));
    this.stopButton = button("stop", () => this.isBusy && this.end(this.isReady ? "stopped" : "cancelled"));
    const restart = button("restart", () => (this.end(), this.start()));
    this.status = element("span", { className: "live-status", role: "status" });
    this.bytes = element("progress", { "aria-label": say("download") });
    this.loading = element("span", { className: "live-loading", hidden: true }, this.bytes, element("span"));
    const help = element("p", { id: "live-help" }, say("help"));
    bar.replaceChildren(runAll, this.stopButton, restart, this.status, this.loading, help);
    bar.classList.add("live-open");
    bar.setAttribute("role", "region");
    bar.setAttribute("aria-label", say("bar"));
    runAll.focus();
  }

  // What the reader does

  run(cell) {
    cell.mark("waiting");
    this.request(this.cells.indexOf(cell));
  }

  runAndMove(cell) {
    this.run(cell);
    this.cells[this.cells.indexOf(cell) + 1]?.focus();
  }

  edited(cell) {
    this.edits.keep(cell.source, cell.code);
    this.current = Math.min(this.current, this.cells.indexOf(cell));
  }

  reset(cell) {
    cell.reset();
    this.current = Math.min(this.current, this.cells.indexOf(cell));
    if (this.isReady && !this.isBusy) this.tell(this.edits.any ? "ready_with_edits" : "ready");
  }

  // Running

  start() {
    this.python.start();
    this.tell("download");
  }

  get isBusy() {
    return this.requests.length > 0 || (this.python.isStarted && !this.isReady);
  }

  /** Ask for a cell to run after those from `first` on; without it, after those that have not run as they stand. */
  request(last, first) {
    if (!this.python.isStarted) this.start();
    this.requests.push({ first, last });
    if (this.requests.length === 1) this.serve();
    this.update();
  }

  async serve() {
    try {
      while (this.requests.length) {
        const { first = this.current, last } = this.requests[0];
        await this.runCells(Math.min(first, last), last);
        this.requests.shift();
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    this.update();
  }

  async runCells(first, last) {
    for (let index = first; index <= last; index++) {
      const cell = this.cells[index];
      const { code, number } = cell;
      cell.begin();
      if (this.isReady) this.tell("running", { n: number });
      this.current = index;
      const failed = await this.python.run(code, cell.name, (kind, content) => cell.show(kind, content));
      cell.end();
      if (failed) {
        this.drop();
        if (index < last) this.cells[last].mark("not_run", { n: number });
        this.tell("failed", { n: number });
        this.status.append(" ", element("button", { type: "button", onclick: () => cell.focus() }, say("go")));
        return;
      }
      if (this.current === index && cell.code === code) this.current += 1; // unless edited meanwhile
    }
    this.tell("done", { n: this.cells[last].number });
  }

  /** Forget what is still to be run. */
  drop() {
    this.requests = [];
    for (const cell of this.cells) cell.mark();
  }

  /** End Python, with all its variables, and say why. */
  end(why, values) {
    this.python.stop();
    this.drop();
    this.current = 0;
    this.isReady = false;
    this.loading.hidden = true;
    if (why) this.tell(why, values);
  }

  // What Python says

  progress({ bytes, total }) {
    this.bytes.max = total;
    this.bytes.value = bytes;
    this.bytes.nextSibling.textContent = say("bytes", { done: megabytes(bytes), total: megabytes(total) });
    this.loading.hidden = bytes === total;
    if (!this.isReady) this.tell(bytes === total ? "prepare" : "download");
  }

  ready() {
    this.isReady = true;
    if (this.requests.length) this.tell("running", { n: this.cells[this.current].number });
    else if (this.edits.wereOutdated) this.tell("outdated");
    else this.tell(this.edits.any ? "ready_with_edits" : "ready");
  }

  broken({ reason, name }) {
    this.end(reason, { name });
  }

  tell(key, values) {
    const words = say(key, values);
    if (this.status.textContent !== words) this.status.textContent = words; // a screen reader reads it out
    this.update();
  }

  update() {
    const loading = this.python.isStarted && !this.isReady;
    this.stopButton.textContent = say(loading ? "cancel" : "stop");
    this.stopButton.setAttribute("aria-disabled", !this.isBusy);
  }
}
