// How much each text and each line of a figure stands out from what is behind it, as the page shows figures.

const SCALE = 3; // so large that a letter has pixels which are all its own

async function contrasts(source) {
  const svg = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  svg.style = "position: fixed; inset: 0 auto auto 0; visibility: hidden";
  document.body.append(svg); // else it has no sizes
  const texts = [...svg.querySelectorAll("g[id^=text_]")]
    .map((text) => ({ text, box: text.getBoundingClientRect() }))
    .filter(({ box }) => box.width); // a space shows nothing
  const lines = new Set([...svg.querySelectorAll(":is(g[id^=line2d_], g[id*=Collection], g[id^=QuadMesh]) :is(path, use)")].map(lineStyle));
  svg.remove();
  svg.removeAttribute("style");

  const whole = await picture(svg);
  for (const { text } of texts) text.remove();
  const behind = await picture(svg);
  return [
    ...texts.map(({ text, box }) => ["text", text.id, greatestContrast(whole, behind, box)]),
    ...[...lines].filter(Boolean).map((style) => ["line", style, contrast(painted(style), painted("none"))]),
  ];
}

function shown() {
  const figure = document.querySelector(".cell_output img");
  return [getComputedStyle(figure).filter, getComputedStyle(document.body).backgroundColor];
}

function canvas(width, height) {
  const [filter, background] = shown();
  const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", { willReadFrequently: true });
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  context.filter = filter;
  return context;
}

async function picture(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const [width, height] = [image.width * SCALE, image.height * SCALE];
  const context = canvas(width, height);
  context.drawImage(image, 0, 0, width, height);
  return context;
}

function lineStyle(element) {
  const { stroke, strokeOpacity, opacity } = getComputedStyle(element);
  return stroke === "none" || element.closest("defs") ? "" : `${stroke} ${strokeOpacity * opacity}`;
}

function painted(style) {
  const [, colour, opacity] = style.match(/(.*\)) (.*)/) ?? [null, "#0000", 0];
  const context = canvas(1, 1);
  context.fillStyle = colour;
  context.globalAlpha = opacity;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}

function greatestContrast(one, other, { x, y, width, height }) {
  const [a, b] = [one, other].map((context) => {
    return context.getImageData(...[x, y, width, height].map((length) => length * SCALE)).data;
  });
  let greatest = 1;
  for (let i = 0; i < a.length; i += 4) {
    if (a[i] !== b[i] || a[i + 1] !== b[i + 1]) greatest = Math.max(greatest, contrast(a.slice(i, i + 3), b.slice(i, i + 3)));
  }
  return greatest;
}

/** As WCAG defines it. */
function contrast(one, other) {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance([red, green, blue]) {
  const [r, g, b] = [red, green, blue].map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
