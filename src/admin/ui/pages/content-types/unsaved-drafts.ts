/** Unsaved changes of types and components. In `localStorage`, too: they survive a reload, a crash, or a closed tab. */
import { signal } from "@preact/signals";
import { start } from "../../model.ts";
import { showProblem } from "../../widgets/toasts.tsx";
import { type Draft, isSame, newAttribute, requestOf, savedDraft } from "./draft.ts";
import type { Schemas } from "./schemas.ts";

const DELAY_MS = 300;

interface Restored {
  /** Milliseconds since 1970: when it was changed. */
  readonly at: number;
  /** Whether the files are others than those that were changed. */
  readonly isOutdated: boolean;
}

interface Stored {
  readonly at: number;
  /** The saved version that was changed, as a request. */
  readonly basedOn: string;
  readonly draft: Draft;
}

/** By uid or by the name for new ones: they stay while others are looked at. */
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map());
/** Those of `drafts` that an earlier page left. */
export const restored = signal<ReadonlyMap<string, Restored>>(new Map());

const prefix = (): string => ["galley", start.peek()?.project, "content-types", ""].join("|");
const baseOf = (saved: Draft): string => JSON.stringify(requestOf(saved));

/** What is stored after a pause, by name. */
const pending = new Map<string, Stored>();
let timer: ReturnType<typeof setTimeout> | undefined;

function store(): void {
  clearTimeout(timer);
  timer = undefined;
  try {
    for (const [name, unsaved] of pending) localStorage.setItem(prefix() + name, JSON.stringify(unsaved));
  } catch (cause) {
    showProblem(new Error("The browser has no space left for unsaved changes: save soon", { cause }));
  }
  pending.clear();
}
addEventListener("pagehide", store);

function put<Value>(map: ReadonlyMap<string, Value>, name: string, value: Value | undefined): Map<string, Value> {
  const next = new Map(map);
  if (value === undefined) next.delete(name);
  else next.set(name, value);
  return next;
}

/** A draft that is the same as what is saved is none. */
export function setDraft(name: string, draft: Draft, saved: Draft): void {
  if (isSame(draft, saved)) return removeDraft(name);
  drafts.value = put(drafts.value, name, draft);
  // changes of an outdated version stay outdated
  const basedOn = bases.get(name) ?? baseOf(saved);
  bases.set(name, basedOn);
  pending.set(name, { at: Date.now(), basedOn, draft });
  timer ??= setTimeout(store, DELAY_MS);
}

/** What each draft was made from. */
const bases = new Map<string, string>();

export function removeDraft(name: string): void {
  pending.delete(name);
  bases.delete(name);
  localStorage.removeItem(prefix() + name);
  if (drafts.value.has(name)) drafts.value = put(drafts.value, name, undefined);
  if (restored.value.has(name)) restored.value = put(restored.value, name, undefined);
}

function readStored(name: string): Stored | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(prefix() + name) ?? "") as Stored;
    const attributes = stored.draft.attributes.map((old) => newAttribute(old.name, old.definition, old.original));
    return { ...stored, draft: { ...stored.draft, attributes } };
  } catch {
    // written by another program or an older version
    return undefined;
  }
}

/** Takes over what an earlier page left. What is saved by now, or of a type that is gone, is removed. */
export function restoreDrafts(schemas: Schemas): void {
  const names = Object.keys(localStorage).filter((key) => key.startsWith(prefix()));
  for (const name of names.map((key) => key.slice(prefix().length))) {
    if (drafts.peek().has(name)) continue;
    const saved = savedDraft(name, schemas);
    const stored = readStored(name);
    if (!saved || !stored || isSame(stored.draft, saved)) {
      removeDraft(name);
      continue;
    }
    bases.set(name, stored.basedOn);
    drafts.value = put(drafts.value, name, stored.draft);
    restored.value = put(restored.value, name, { at: stored.at, isOutdated: stored.basedOn !== baseOf(saved) });
  }
}
