/** Which fields of a form differ from an earlier state, by their paths in documents. */

import { isList } from "../edit/form/tree.ts";
import { type EntryValue, editableAttributes, type FileValue, toEntries, type Values } from "../edit/form/values.ts";
import { type Attribute, findComponent } from "../model.ts";
import { siteUrl } from "../page-paths.ts";

export interface FieldChange {
  /** Attributes and indexes: `sections.0.title`. */
  readonly field: string;
  readonly type: string;
  readonly value: unknown;
  readonly previous: unknown;
}

const absoluteUrl = ({ url, ...file }: FileValue, base: string): object => ({
  ...file,
  url: typeof url === "string" && URL.canParse(siteUrl(url), base) ? new URL(siteUrl(url), base).href : url,
});

/** A file with an absolute URL, since the site has another origin; or a list of them. */
function shownFiles(value: unknown, { multiple }: Attribute, base: string): unknown {
  const files = (value as readonly FileValue[]).map((file) => absoluteUrl(file, base));
  return multiple === true ? files : (files[0] ?? null);
}

/** `base`: the URL that those of files are relative to. Relations are not listed: they have no text of their own. */
export function fieldChanges(
  attributes: Readonly<Record<string, Attribute>>,
  before: Values,
  now: Values,
  base: string,
  prefix = "",
): FieldChange[] {
  return editableAttributes(attributes).flatMap(([name, attribute]): FieldChange[] => {
    const [previous, value] = [before[name], now[name]];
    const field = prefix + name;
    const { type } = attribute;
    if (previous === value || type === "relation" || type === "password") return [];
    if (type === "component" || type === "dynamiczone") {
      const earlier = toEntries(previous);
      return toEntries(value).flatMap((entry, index) =>
        entryChanges(earlier[index], entry, base, isList(attribute) ? `${field}.${index}.` : `${field}.`),
      );
    }
    if (JSON.stringify(previous ?? null) === JSON.stringify(value ?? null)) return [];
    if (type !== "media") return [{ field, type, value, previous }];
    const shown = (files: unknown): unknown => shownFiles(files ?? [], attribute, base);
    return [{ field, type, value: shown(value), previous: shown(previous) }];
  });
}

function entryChanges(before: EntryValue | undefined, now: EntryValue, base: string, prefix: string): FieldChange[] {
  const { attributes } = findComponent(now.component) ?? { attributes: {} };
  return fieldChanges(attributes, before?.component === now.component ? before.values : {}, now.values, base, prefix);
}
