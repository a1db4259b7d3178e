/** Unsaved changes of types and components. In `localStorage`, too: they survive a reload, a crash, or a closed tab. */
import { computed, signal } from "@preact/signals";
import { start } from "../../model.ts";
import { showProblem } from "../../widgets/toasts.tsx";
import { createRequest, type Draft, isSame, newAttribute, savedDraft } from "./draft.ts";
import { mergeDraft } from "./merge-drafts.ts";
import type { Schemas } from "./schemas.ts";

const DELAY_MS = 300;
/** Changes of types that are gone are kept, since files may come back. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** What happened to a draft without its user. */
interface DraftNews {
  /** Milliseconds since 1970: when it was changed, if an earlier page left it. */
  readonly restoredFrom?: number;
  /** Whether the files have changed since, so that it was applied to the new ones. */
  readonly isMerged?: boolean;
  /** What was changed on both sides. */
  readonly conflicts?: readonly string[];
}

interface Stored {
  readonly at: number;
  /** The saved version that was changed, as a request. */
  readonly basedOn: string;
  readonly draft: Draft;
}

/** By uid or by the name for new ones: they stay while others are looked at. */
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map());
const changedText = computed(() => JSON.stringify([...drafts.value.keys()]));
/** The names of `drafts`: the same set until there is one more or less, so that a key renders no list of them. */
export const changedNames = computed<ReadonlySet<string>>(() => new Set(JSON.parse(changedText.value) as string[]));
/** By the names of drafts. */
export const draftNews = signal<ReadonlyMap<string, DraftNews>>(new Map());

const prefix = (): string => ["galley", start.peek()?.project, "content-types", ""].join("|");
const formatBase = (saved: Draft): string => JSON.stringify(createRequest(saved));

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
  const basedOn = bases.get(name) ?? formatBase(saved);
  bases.set(name, basedOn);
  pending.set(name, { at: Date.now(), basedOn, draft });
  timer ??= setTimeout(store, DELAY_MS);
}

/** Applies a draft to what is saved now, if that is not what the draft was made from. */
function rebase(name: string, draft: Draft, saved: Draft): void {
  const basedOn = bases.get(name);
  if (basedOn === undefined || basedOn === formatBase(saved)) return;
  const merged = mergeDraft(JSON.parse(basedOn), draft, saved);
  bases.set(name, formatBase(saved));
  const before = draftNews.peek().get(name);
  const conflicts = [...new Set([...(before?.conflicts ?? []), ...merged.conflicts])];
  draftNews.value = put(draftNews.peek(), name, { ...before, isMerged: true, conflicts });
  setDraft(name, merged.draft, saved);
}

/** Keeps unsaved changes when files have changed, in another window or on disk. */
export function rebaseDrafts(schemas: Schemas): void {
  for (const [name, draft] of drafts.peek()) {
    const saved = savedDraft(name, schemas);
    if (saved) rebase(name, draft, saved);
  }
}

/** What each draft was made from. */
const bases = new Map<string, string>();

export function removeDraft(name: string): void {
  pending.delete(name);
  bases.delete(name);
  localStorage.removeItem(prefix() + name);
  if (drafts.value.has(name)) drafts.value = put(drafts.value, name, undefined);
  if (draftNews.value.has(name)) draftNews.value = put(draftNews.value, name, undefined);
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

/** Takes over what an earlier page left, except for what is saved by now. */
export function restoreDrafts(schemas: Schemas): void {
  const names = Object.keys(localStorage).filter((key) => key.startsWith(prefix()));
  for (const name of names.map((key) => key.slice(prefix().length))) {
    if (drafts.peek().has(name)) continue;
    const saved = savedDraft(name, schemas);
    const stored = readStored(name);
    if (stored && !saved && Date.now() - stored.at < MAX_AGE_MS) continue;
    if (!saved || !stored || isSame(stored.draft, saved)) {
      removeDraft(name);
      continue;
    }
    bases.set(name, stored.basedOn);
    drafts.value = put(drafts.value, name, stored.draft);
    draftNews.value = put(draftNews.value, name, { restoredFrom: stored.at });
    rebase(name, stored.draft, saved);
  }
}
