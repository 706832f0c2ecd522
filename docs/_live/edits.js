// What the reader has typed outlives the page: for each cell that was changed, by the code that the book has there.

export class Edits {
  /** `sources` is the code that the book has now: what was typed over older code is forgotten. */
  constructor(page, sources) {
    this.key = `l05 ${page}`;
    const kept = Object.entries(this.read());
    const current = kept.filter(([source]) => sources.includes(source));
    this.codes = Object.fromEntries(current);
    this.wereOutdated = current.length < kept.length;
    if (this.wereOutdated) this.write(this.codes);
  }

  of(source) {
    return this.codes[source];
  }

  get any() {
    return Object.keys(this.read()).length > 0;
  }

  keep(source, code) {
    const codes = this.read(); // another tab may have added to them
    if (code === source) delete codes[source];
    else codes[source] = code;
    this.write(codes);
  }

  read() {
    try {
      return JSON.parse(localStorage.getItem(this.key)) ?? {};
    } catch {
      return {}; // forbidden, or not ours
    }
  }

  write(codes) {
    try {
      if (Object.keys(codes).length > 0) localStorage.setItem(this.key, JSON.stringify(codes));
      else localStorage.removeItem(this.key);
    } catch {
      // forbidden or full: what is typed lasts as long as the page
    }
  }
}
