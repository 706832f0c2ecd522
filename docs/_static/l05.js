// Equations that are wider than the page scroll in their own box; the keyboard must reach them, and only them.
(() => {
  const update = () => {
    for (const box of document.querySelectorAll("div.math > .katex-display")) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  addEventListener("load", update);
  addEventListener("resize", update);
  document.addEventListener("toggle", update, true); // a fold opened
})();
