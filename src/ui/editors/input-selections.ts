/** Selections in inputs. */

const stop = (event: Event): void => {
  if (event.target !== document) event.stopImmediatePropagation();
};

/**
 * Hides changes of the selection in an input, which come with each key there, from the editors of the page: each of them would
 * compare the document's selection with its own.
 */
export const ignoreInputSelections = (): void => document.addEventListener("selectionchange", stop, { capture: true });
