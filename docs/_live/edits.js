// What the reader has typed outlives the page: for each cell that was changed, by the code that the book has there.

export class Edits {
  /** `sources` is the code that the book has now: what was typed in a cell that is gone is forgotten. */
  constructor(page, sources) {
    this.key = `l05 ${page}`;
    this.codes = {};
    try {
      const kept = Object.entries(JSON.parse(localStorage.getItem(this.key)) ?? {});
      this.codes = Object.fromEntries(kept.filter(([source]) => sources.includes(source)));
    } catch {
      // storage that is forbidden, or not ours
    }
  }

  get any() {
    return Object.keys(this.codes).length > 0;
  }

  of(source) {
    return this.codes[source];
  }

  keep(source, code) {
    if (code === source) delete this.codes[source];
    else this.codes[source] = code;
    try {
      if (this.any) localStorage.setItem(this.key, JSON.stringify(this.codes));
      else localStorage.removeItem(this.key);
    } catch {
      // forbidden or full: the edit lasts as long as the page
    }
  }
}
