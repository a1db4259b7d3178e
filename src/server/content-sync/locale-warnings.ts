/** What files say of locales, and the API does not keep: values of locales that are not configured, and of what all locales share. */
import type { ChangeProblem, DocumentChange } from "../../transfer/content/document-change.ts";

function* warningsOf(change: DocumentChange, locales: readonly string[]): Generator<ChangeProblem> {
  const { type, after } = change;
  if (!after) return;
  if (!type.localized) {
    for (const key of ["$locale", "$locales"])
      if (key in after) yield { change, path: [key], reason: `${type.uid} is not localized: it is left out` };
    return;
  }
  const isUnknown = (locale: string): boolean => !locales.includes(locale);
  const unknown = (locale: string, path: readonly string[]): ChangeProblem => ({
    ...{ change, path },
    reason: `"${locale}" is not a locale of the project, which has ${locales.join(", ")}`,
  });
  if (after.$locale !== undefined && isUnknown(after.$locale)) yield unknown(after.$locale, ["$locale"]);
  for (const [locale, keys] of Object.entries(after.$locales ?? {})) {
    const path = ["$locales", locale];
    if (isUnknown(locale)) {
      yield unknown(locale, path);
      continue;
    }
    for (const [name, value] of Object.entries(keys))
      if (type.attributes.get(name)?.localized === false && !Bun.deepEquals(value, after[name]))
        yield {
          change,
          path: [...path, name],
          reason: `${type.uid} does not localize ${name}, so that the next change on the page or over the API makes it the same in all locales`,
        };
  }
}

/** Each reason once: many files may have it. */
export function localeWarnings(changes: readonly DocumentChange[], locales: readonly string[]): ChangeProblem[] {
  const byReason = new Map<string, ChangeProblem>();
  for (const change of changes)
    for (const warning of warningsOf(change, locales))
      byReason.getOrInsert(`${warning.path[1]} ${warning.reason}`, warning);
  return [...byReason.values()];
}
