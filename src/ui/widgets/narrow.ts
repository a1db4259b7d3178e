/** How wide the window is: where the layout in `styles/` is another one, and not only the styles depend on it. */
import { type ReadonlySignal, signal } from "@preact/signals";

function followed(condition: string): ReadonlySignal<boolean> {
  const query = window.matchMedia(condition);
  const matching = signal(query.matches);
  query.addEventListener("change", ({ matches }) => {
    matching.value = matches;
  });
  return matching;
}

export const isNarrow = followed("(width < 720px)");

/** There is no room for all columns of a list. */
export const isMedium = followed("(width < 1150px)");
