// Python as the page sees it: one worker, which runs one cell at a time and can be ended at any moment.

export class Stopped extends Error {}

export class Python {
  /** `listener` has methods progress({bytes, total}), ready(), and broken({reason, name}). */
  constructor({ workerURL, pyodideURL, code }, listener) {
    Object.assign(this, { workerURL, pyodideURL, code, listener });
  }

  get isStarted() {
    return Boolean(this.worker);
  }

  start() {
    const worker = new Worker(this.workerURL, { type: "module" });
    const hear = (message) => worker === this.worker && this.hear(message); // one that was ended has nothing to say
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = () => hear({ type: "broken", reason: "missing", name: "worker.js" });
    this.worker = worker;
    this.worker.postMessage({ type: "load", pyodideURL: this.pyodideURL, code: this.code });
  }

  /** Run a cell; `show(kind, content)` gets what it shows, its error included. Return whether there was one. */
  run(code, name, show) {
    this.worker.postMessage({ type: "run", code, name });
    return new Promise((resolve, reject) => (this.running = { show, resolve, reject }));
  }

  stop() {
    this.worker?.terminate();
    this.worker = null;
    this.running?.reject(new Stopped());
    this.running = null;
  }

  hear({ type, ...content }) {
    if (type === "show") {
      this.running.show(content.kind, content.content);
    } else if (type === "done") {
      const { resolve } = this.running;
      this.running = null;
      resolve(content.failed);
    } else {
      if (type === "broken") this.stop();
      this.listener[type](content);
    }
  }
}
