/**
 * Attributes that types and components have got since all files were last looked at: what a file said of one before was no attribute, and
 * is read now. A project's schemas and files may change at once, as with `git pull`, and then in any order.
 */
import { holdsComponents, mapComponents } from "../../engine/schema/entries.ts";
import type { ContentType, Model, Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { mapValues, pickBy } from "../../lib/records.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { hasDefault } from "../../transfer/content/version-states.ts";
import type { SyncState } from "./state.ts";

type Names = Readonly<Record<string, readonly string[]>>;

/** After the name of an attribute: it has a default. */
const DEFAULT = "=";

const namesIn = ({ attributes }: Schema): string[] =>
  [...attributes].flatMap(([name, attribute]) => (hasDefault(attribute) ? [name, name + DEFAULT] : [name]));

/** The names of all attributes, as `Names`. */
const printAttributes = ({ types, components }: Model): string =>
  JSON.stringify(Object.fromEntries([...types, ...components].map(([uid, schema]) => [uid, namesIn(schema)])));

export const hasSameAttributes = (state: SyncState, model: Model): boolean =>
  state.attributes === printAttributes(model);

/** Removes the new attributes from what files said. */
function createRemover(model: Model, added: ReadonlyMap<string, ReadonlySet<string>>) {
  function remove(schema: Schema, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => remove(schema, item));
    if (!isRecord(value)) return value;
    const left = pickBy(value, (_, key) => !added.get(schema.uid)?.has(key));
    return mapValues(left, (own, key) => (key === "$published" ? remove(schema, own) : removeInside(schema, key, own)));
  }

  function removeInside({ attributes }: Schema, key: string, value: unknown): unknown {
    const attribute = attributes.get(key);
    return holdsComponents(attribute) ? mapComponents(model, attribute, value, remove) : value;
  }

  return (type: ContentType, { $locales, ...top }: ContentFile): ContentFile => ({
    ...(remove(type, top) as ContentFile),
    ...($locales && { $locales: mapValues($locales, (keys) => remove(type, keys) as typeof keys) }),
  });
}

/**
 * Expects a transaction. Files that say something of a new attribute are read again by the next look at all. Those of documents that are
 * without its default, which new documents have, are to say so.
 */
export function expectNewAttributes(state: SyncState, model: Model): void {
  const before = state.attributes;
  const now = printAttributes(model);
  if (before === now) return;
  state.attributes = now;
  if (before === undefined) return;
  const added = new Map(
    Object.entries(JSON.parse(before) as Names).map(([uid, names]) => {
      const schema = model.types.get(uid) ?? model.components.get(uid);
      return [uid, new Set(schema ? namesIn(schema) : []).difference(new Set(names))] as const;
    }),
  );
  const names = [...new Set([...added.values()].flatMap((own) => [...own]))];
  if (names.length === 0) return;
  const changed = [...added].filter(([, own]) => own.values().some((name) => name.endsWith(DEFAULT)));
  const uids = changed.map(([uid]) => uid);
  if (uids.length > 0)
    state.markTypesBehind(uids.every((uid) => model.types.has(uid)) ? uids : [...model.types.keys()]);
  const removeFrom = createRemover(model, added);
  for (const file of state.withKeys(names).values()) {
    const type = model.types.get(file.uid);
    if (!type || !file.written) continue;
    const written = removeFrom(type, file.written);
    if (!Bun.deepEquals(written, file.written)) state.putUnread({ ...file, written });
  }
}
