// The button below a chapter's title. Until it is pressed, nothing else of docs/_live is loaded.
document.addEventListener("click", async ({ target }) => {
  const bar = target.closest("div.live:not(.live-open)");
  if (!bar || target.tagName !== "BUTTON") return;
  const note = target.nextElementSibling;
  if (location.protocol === "file:") {
    note.textContent = bar.dataset.file;
    return;
  }
  target.disabled = true;
  try {
    const { open } = await import(new URL(bar.dataset.script, document.baseURI));
    await open(bar);
  } catch (error) {
    console.error(error);
    note.textContent = bar.dataset.missing;
    target.disabled = false;
  }
});
