/** Whether the window is narrow: where the layout in `styles/` is another one, and not only the styles depend on it. */
import { signal } from "@preact/signals";

const query = window.matchMedia("(width < 720px)");

export const isNarrow = signal(query.matches);

query.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches;
});
