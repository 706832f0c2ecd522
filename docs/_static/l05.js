// Equations that are wider than the page scroll in their own box; the keyboard must reach them, and only them.
(() => {
  const observer = new ResizeObserver((entries) => {
    for (const { target: box } of entries) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll("div.math > .katex-display")) observer.observe(box);
})();

// On paper every fold is open, and the dark theme is the light one.
(() => {
  const theme = document.documentElement.dataset;
  let folds, screen;
  addEventListener("beforeprint", () => {
    screen = theme.theme;
    theme.theme = "light";
    folds = [...document.querySelectorAll(".bd-article details:not([open])")];
    for (const fold of folds) fold.open = true;
  });
  addEventListener("afterprint", () => {
    theme.theme = screen;
    for (const fold of folds) fold.open = false;
  });
})();
