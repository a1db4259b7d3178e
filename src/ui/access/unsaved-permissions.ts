/**
 * Unsaved changes of roles' permissions, as differences from what is saved, so that they also apply to what others save meanwhile.
 * In `localStorage`: they survive other pages, a reload, and a closed tab.
 */
import { signal } from "@preact/signals";
import { start } from "../model.ts";

/** Whether each changed action is granted, by its name. */
type Changes = Readonly<Record<string, boolean>>;

const storageKey = (): string => ["galley", start.peek()?.project, "permissions"].join("|");

function read(): Readonly<Record<string, Changes>> {
  try {
    return (JSON.parse(localStorage.getItem(storageKey()) ?? "{}") as Record<string, Changes>) ?? {};
  } catch {
    // written by another program
    return {};
  }
}

const stored = signal<Readonly<Record<string, Changes>> | undefined>(undefined);
const all = (): Readonly<Record<string, Changes>> => stored.value ?? read();

/** The saved actions with the unsaved changes of a role. */
export function withUnsaved(role: string, saved: ReadonlySet<string>): ReadonlySet<string> {
  const granted = new Set(saved);
  for (const [action, isGranted] of Object.entries(all()[role] ?? {})) {
    if (isGranted) granted.add(action);
    else granted.delete(action);
  }
  return granted;
}

export const hasUnsaved = (role: string): boolean => Object.keys(all()[role] ?? {}).length > 0;

function store(role: string, changes: Changes): void {
  const { [role]: _, ...others } = all();
  const next = Object.keys(changes).length > 0 ? { ...others, [role]: changes } : others;
  stored.value = next;
  try {
    if (Object.keys(next).length > 0) localStorage.setItem(storageKey(), JSON.stringify(next));
    else localStorage.removeItem(storageKey());
  } catch {
    // without space they last as long as the page
  }
}

/** Keeps what differs from the saved actions; nothing if they are the same. */
export const keepUnsaved = (role: string, saved: ReadonlySet<string>, granted: ReadonlySet<string>): void =>
  store(
    role,
    Object.fromEntries([...saved.symmetricDifference(granted)].map((action) => [action, granted.has(action)])),
  );

export const forgetUnsaved = (role: string): void => store(role, {});
