/** Unsaved changes of roles' permissions: whether each changed action is granted. */
import { unsavedValues } from "../unsaved-values.ts";

const unsaved = unsavedValues<boolean>("permissions");

/** The saved actions with the unsaved changes of a role. */
export function withUnsaved(role: string, saved: ReadonlySet<string>): ReadonlySet<string> {
  const granted = new Set(saved);
  for (const [action, isGranted] of Object.entries(unsaved.of(role))) {
    if (isGranted) granted.add(action);
    else granted.delete(action);
  }
  return granted;
}

export const hasUnsaved = (role: string): boolean => Object.keys(unsaved.of(role)).length > 0;

/** Keeps what differs from the saved actions; nothing if they are the same. */
export const keepUnsaved = (role: string, saved: ReadonlySet<string>, granted: ReadonlySet<string>): void =>
  unsaved.set(
    role,
    Object.fromEntries([...saved.symmetricDifference(granted)].map((action) => [action, granted.has(action)])),
  );

export const forgetUnsaved = (role: string): void => unsaved.set(role, {});
