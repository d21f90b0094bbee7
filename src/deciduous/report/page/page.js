// The page as a whole: light and dark, printing, and the first picture.

const THEMES = ["auto", "light", "dark"];
onClick("theme", () => {
  const root = document.documentElement;
  const now = THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % THEMES.length];
  if (now === "auto") delete root.dataset.theme;
  else root.dataset.theme = now;
  byId("theme-now").textContent = words[now];
});

// Paper shows the tree as it is opened now, made to fit, and as much of it in one piece as there is room for.
const PAPER = 680; // the width of a page without its margins
let beforePrint = null;
addEventListener("beforeprint", () => {
  beforePrint = view.zoom;
  view.zoom = Math.min(1, PAPER / (size.width + 2 * MARGIN));
  applyZoom();
});
addEventListener("afterprint", () => {
  view.zoom = beforePrint ?? view.zoom;
  applyZoom();
});
addEventListener("resize", drawTree);

openReadable();
showNode(0);
