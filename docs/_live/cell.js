// One cell of the page: its editor, its buttons, and what it shows, in the places that the book has for them.

import { element } from "./dom.js";
import { createEditor, replaceCode } from "./editor.js";

/** The code that the book has in a cell. */
export function sourceOf(root) {
  return root.querySelector("div.cell_input pre").textContent.replace(/\n$/, "");
}

export class Cell {
  /** `page` has the methods run(cell), runAndMove(cell), reset(cell) and edited(cell). */
  constructor(root, number, code, page, say) {
    Object.assign(this, { root, number, say, source: sourceOf(root) });
    this.name = `cell ${number}`; // in tracebacks, which are in English
    const input = root.querySelector("div.cell_input");
    this.output = root.querySelector("div.cell_output");
    if (!this.output) {
      this.output = element("div", { className: "cell_output docutils container" });
      input.after(this.output);
    }
    this.published = [...this.output.childNodes];
    this.publishedFigures = [...this.output.children].filter((place) => place.matches("img") || place.querySelector("img"));

    const box = input.querySelector("div.highlight");
    box.replaceChildren();
    box.classList.add("live-editor");
    this.editor = createEditor({
      parent: box,
      code: code ?? this.source,
      label: say("editor", { n: number }),
      keys: { "Mod-Enter": () => page.run(this), "Shift-Enter": () => page.runAndMove(this) },
      changed: () => page.edited(this),
    });
    const button = (key, act) => element("button", { type: "button", title: say(`${key}_title`), onclick: act }, say(key));
    this.state = element("span", { className: "live-state" });
    const tools = element("div", { className: "live-tools", role: "group", "aria-label": say("tools", { n: number }) });
    tools.append(button("run", () => page.run(this)), button("reset", () => page.reset(this)), this.state);
    tools.append(element("span", { className: "live-number", "aria-hidden": "true" }, `[${number}]`));
    input.append(tools);
  }

  get code() {
    return this.editor.state.doc.toString();
  }

  reset() {
    replaceCode(this.editor, this.source);
    this.output.replaceChildren(...this.published);
  }

  /** Bring the editor into view, out of its fold. */
  focus() {
    this.root.querySelector("details")?.setAttribute("open", "");
    this.editor.focus();
  }

  /** Say something beside the buttons, or nothing. */
  mark(key, values) {
    this.state.textContent = key ? this.say(key, values) : "";
    this.root.setAttribute("aria-busy", key === "busy");
  }

  begin() {
    this.mark("busy");
    this.isFresh = false; // what stands there stays until there is something new: the page does not jump
    this.figures = 0;
  }

  /** Show what a run sends. */
  show(kind, content) {
    this.clear();
    const last = this.output.lastElementChild;
    if (kind.startsWith("std") && last?.dataset.kind === kind) last.querySelector("pre").append(content);
    else if (kind === "image/svg+xml") this.output.append(this.figure(`data:${kind},${encodeURIComponent(content)}`));
    else if (kind === "image/png") this.output.append(this.figure(`data:${kind};base64,${content}`));
    else if (kind === "text/html") this.output.append(element("div", { className: "output text_html", innerHTML: content }));
    else if (kind === "hint") this.output.append(element("p", { className: "live-hint" }, this.say(content)));
    else this.output.append(text(kind, content));
    if (kind === "error") this.root.querySelector("details")?.setAttribute("open", "");
  }

  end() {
    this.clear();
    this.mark();
  }

  clear() {
    if (!this.isFresh) this.output.replaceChildren();
    this.isFresh = true;
  }

  /** A figure in the place of the book's, caption and number included. */
  figure(src) {
    const published = this.publishedFigures[this.figures++];
    const place = published?.cloneNode(true) ?? element("img");
    const image = place.querySelector("img") ?? place;
    if (!published || this.code !== this.source) image.alt = this.say("figure");
    for (const attribute of ["width", "height", "loading"]) image.removeAttribute(attribute); // those of the book's
    image.src = src;
    image.classList.add("live-figure");
    return place;
  }
}

function text(kind, content) {
  const box = element("div", { className: "highlight" }, element("pre", { tabIndex: 0 }, content));
  return element("div", { className: `output live-${kind.replace("/", "-")}`, "data-kind": kind }, box);
}
