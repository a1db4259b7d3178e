/** Selects documents of a list that need not be loaded: their ids are requested. */
import { api } from "../api/client.ts";
import { showProblem } from "../widgets/toasts.tsx";
import type { Row } from "./rows.ts";
import { rowsPath } from "./rows-path.ts";
import type { Selection } from "./selection.ts";

/** Ids in a request. */
const PAGE_SIZE = 1000;

/** `search`: the query of the list's URL. `from` and `to`: positions in the list, both included. Reports errors itself. */
export async function selectRange(
  uid: string,
  search: URLSearchParams,
  selection: Selection,
  from: number,
  to: number,
): Promise<void> {
  // a second click, or a key that is held
  if (selection.isLoading.peek()) return;
  selection.isLoading.value = true;
  const ids = new URLSearchParams(search);
  ids.set("columns", "documentId");
  try {
    for (let page = Math.floor(from / PAGE_SIZE); page * PAGE_SIZE <= to; page++) {
      const { results } = await api.get<{ results: readonly Row[] }>(rowsPath(uid, ids, page + 1, PAGE_SIZE));
      const first = page * PAGE_SIZE;
      const wanted = results.slice(Math.max(0, from - first), to - first + 1);
      selection.add(...wanted.map(({ documentId }) => documentId));
      if (results.length < PAGE_SIZE) return;
    }
  } catch (error) {
    showProblem(error);
  } finally {
    selection.isLoading.value = false;
  }
}
