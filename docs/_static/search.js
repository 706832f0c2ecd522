// Search in the theme's dialog. docs/_ext/search.py has written the words of the book into search-index.js, which is
// loaded when the dialog opens first. A query is found wherever it stands, inside a longer Chinese word, too.
(() => {
  const dialog = document.getElementById("pst-search-dialog");
  const input = dialog.querySelector("input");
  const list = dialog.querySelector("ol");
  const status = dialog.querySelector("[role=status]");
  const root = document.documentElement.dataset.content_root;

  let loading;
  const load = () =>
    (loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script"); // fetch() would not work from a file system
      script.src = `${root}search-index.js`;
      script.onload = () => resolve(searchIndex);
      script.onerror = reject;
      document.head.append(script);
    }));

  const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
  const count = (text, word) => text.toLowerCase().split(word).length - 1;
  const isOneOf = (names, word) => names.some((name) => name.toLowerCase() === word);

  /** The names of a place count most, as a whole or in part; then how often its text has the word. */
  const ratePlace = ([, names, text], word) =>
    (isOneOf(names, word) ? 30 : 0) + (count(names.join(" "), word) ? 30 : 0) + Math.min(count(text, word), 10);

  /** Find the best place of a page for words that mean the same. The glossary comes first, then what is about them. */
  function ratePage(page, words) {
    const rated = page.places.map((place) => ({ place, points: sum(words.map((word) => ratePlace(place, word))) }));
    const best = rated.reduce((one, other) => (other.points > one.points ? other : one));
    const is = (names) => words.some((word) => isOneOf(names, word));
    const has = (names) => words.some((word) => count(names.join(" "), word));
    const bonus = [
      best.place[0].startsWith("term-") && is(best.place[1]) && 500,
      best.points && has(page.places[0][1]) && 100,
      page.explains.some(is) ? 100 : page.explains.some(has) && 20,
    ];
    const share = page.address.startsWith("api/") ? 0.5 : 1; // its English docstrings repeat the words of the field
    return { page, place: best.place, points: share * (best.points + sum(bonus)) };
  }

  /** Rate all pages. A term is looked for by all its names, in both languages. */
  function rate({ pages, terms }, query) {
    const words = terms.find((names) => isOneOf(names, query))?.map((name) => name.toLowerCase()) ?? [query];
    return pages.map((page) => ({ ...ratePage(page, words), words }));
  }

  /** The pages that have the query or, if none has, all of its words; the best first. */
  function find(index, query) {
    let hits = rate(index, query);
    if (!hits.some(({ points }) => points)) {
      const perWord = query.split(" ").map((word) => rate(index, word));
      hits = perWord.reduce((hits, others) => hits.map((hit, i) => both(hit, others[i])));
    }
    return hits.filter(({ points }) => points).sort((one, other) => other.points - one.points);
  }

  const both = (one, other) => ({
    ...(one.points < other.points ? other : one),
    points: Math.min(one.points, other.points),
    words: [...one.words, ...other.words],
  });

  function element(tag, properties, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  /** Cut the text around the first of the words, and mark all of them. */
  function excerpt(text, words) {
    const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "i");
    const start = Math.max(text.search(pattern) - 30, 0);
    const end = start + 130;
    const pieces = text.slice(start, end).split(pattern);
    const shown = pieces.map((piece, i) => (i % 2 ? element("mark", { textContent: piece }) : piece));
    return element("p", {}, start ? "…" : "", ...shown, end < text.length ? "…" : "");
  }

  function show({ page, place: [anchor, names, text], words }) {
    const title = page.places[0][1].join(" ");
    const name = names.join(" ");
    const link = element("a", { href: `${root}${page.address}#${anchor}` }, name === title ? title : `${title} › ${name}`);
    return element("li", {}, link, excerpt(text, words));
  }

  async function search() {
    const query = input.value.trim().replace(/\s+/g, " ").toLowerCase();
    const say = (text) => (status.textContent = text.replace("{}", input.value.trim()));
    let hits = [];
    try {
      hits = query ? find(await load(), query) : [];
      say(!query ? "" : hits.length ? "" : dialog.dataset.none);
    } catch {
      say(dialog.dataset.failed);
    }
    list.replaceChildren(...hits.map(show));
  }

  /** Arrow keys go through the hits and back to the input. */
  function move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [input, ...list.querySelectorAll("a")];
    stops[stops.indexOf(document.activeElement) + step]?.focus();
  }

  input.addEventListener("focus", load);
  input.addEventListener("input", search);
  dialog.addEventListener("keydown", move);
  input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  list.addEventListener("click", ({ target }) => target.closest("a") && dialog.close());
})();
