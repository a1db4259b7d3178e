/** How wide the user has made the columns of lists; kept in this browser. */
import { signal } from "@preact/signals";
import { readStored, store } from "../stored-json.ts";

type Widths = Readonly<Record<string, number>>;

const MIN_WIDTH = 60;
const MAX_WIDTH = 1_200;

const storageKey = (uid: string): string => `galley widths ${uid}`;

const widths = signal<Readonly<Record<string, Widths>>>({});

/** In pixels, by the names of columns. */
export const widthsOf = (uid: string): Widths =>
  widths.value[uid] ?? (readStored(storageKey(uid)) as Widths | undefined) ?? {};

export function setWidth(uid: string, name: string, width: number): void {
  const own = { ...widthsOf(uid), [name]: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))) };
  widths.value = { ...widths.peek(), [uid]: own };
  store(storageKey(uid), own);
}
