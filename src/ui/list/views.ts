/** Named queries of lists, kept in this browser. */
import { signal } from "@preact/signals";
import { readStored } from "../stored-json.ts";
import { isFilter } from "./rows-path.ts";

export interface View {
  readonly name: string;
  /** The query of the list's URL, without its locale. */
  readonly query: string;
}

const PARAMETERS = new Set(["q", "sort", "status", "columns"]);
const MAX_VIEWS = 20;

const storageKey = (uid: string): string => `galley views ${uid}`;

const isView = (value: unknown): value is View =>
  typeof (value as View | null)?.name === "string" && typeof (value as View).query === "string";

function readViews(uid: string): readonly View[] {
  const stored = readStored(storageKey(uid));
  return Array.isArray(stored) ? stored.filter(isView).slice(0, MAX_VIEWS) : [];
}

const views = signal<Readonly<Record<string, readonly View[]>>>({});

export const viewsOf = (uid: string): readonly View[] => views.value[uid] ?? readViews(uid);

/** The part of a query that a view keeps, in one order. */
export function viewQuery(search: URLSearchParams): string {
  const kept = new URLSearchParams([...search].filter(([name]) => PARAMETERS.has(name) || isFilter(name)));
  kept.sort();
  return String(kept);
}

/** Whether a view could keep the query, and none does. */
export function isUnkept(uid: string, search: URLSearchParams): boolean {
  const query = viewQuery(search);
  return query !== "" && !viewsOf(uid).some((view) => view.query === query);
}

/** Throws where the browser's storage is full. */
function store(uid: string, next: readonly View[]): void {
  localStorage.setItem(storageKey(uid), JSON.stringify(next));
  views.value = { ...views.peek(), [uid]: next };
}

/** A view of the same name is replaced. Throws where the browser's storage is full, and for too many views. */
export function saveView(uid: string, view: View): void {
  const others = viewsOf(uid).filter(({ name }) => name !== view.name);
  if (others.length >= MAX_VIEWS) throw new Error(`A list has at most ${MAX_VIEWS} views: remove one first`);
  store(uid, [...others, view]);
}

export const removeView = (uid: string, name: string): void =>
  store(
    uid,
    viewsOf(uid).filter((view) => view.name !== name),
  );
