/**
 * Attributes that types and components have got since all files were last looked at: what a file said of one before was no attribute, and
 * is read now. A project's schemas and files may change at once, as with `git pull`, and then in any order.
 */
import type { ContentType, Model, Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import type { SyncState } from "./state.ts";

type Names = Readonly<Record<string, readonly string[]>>;

/** The names of all attributes, as `Names`. */
const printAttributes = ({ types, components }: Model): string =>
  JSON.stringify(
    Object.fromEntries([...types, ...components].map(([uid, { attributes }]) => [uid, [...attributes.keys()]])),
  );

export const hasSameAttributes = (state: SyncState, model: Model): boolean =>
  state.attributes === printAttributes(model);

/** Removes the new attributes from what files said. */
class Remover {
  readonly #model: Model;
  readonly #added: ReadonlyMap<string, ReadonlySet<string>>;
  hasRemoved = false;

  constructor(model: Model, added: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#model = model;
    this.#added = added;
  }

  remove(schema: Schema, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.remove(schema, item));
    if (!isRecord(value)) return value;
    const added = this.#added.get(schema.uid);
    const entries = Object.entries(value);
    const left = entries.filter(([key]) => !added?.has(key));
    if (left.length < entries.length) this.hasRemoved = true;
    return Object.fromEntries(
      left.map(([key, own]) => [
        key,
        key === "$published" ? this.remove(schema, own) : this.#removeInside(schema, key, own),
      ]),
    );
  }

  #removeInside({ attributes }: Schema, key: string, value: unknown): unknown {
    const attribute = attributes.get(key);
    const inComponent = (part: unknown, uid: unknown): unknown => {
      const component = this.#model.components.get(String(uid));
      return component ? this.remove(component, part) : part;
    };
    if (attribute?.kind === "component") return inComponent(value, attribute.component);
    if (attribute?.kind !== "zone" || !Array.isArray(value)) return value;
    return value.map((part) => (isRecord(part) ? inComponent(part, part.__component) : part));
  }

  removeFrom(type: ContentType, { $locales, ...top }: ContentFile): ContentFile {
    const file = this.remove(type, top) as ContentFile;
    if (!$locales) return file;
    const locales = Object.entries($locales).map(([code, keys]) => [code, this.remove(type, keys)]);
    return { ...file, $locales: Object.fromEntries(locales) };
  }
}

/** Expects a transaction. Files that say something of a new attribute are read again by the next look at all. */
export function expectNewAttributes(state: SyncState, model: Model): void {
  const before = state.attributes;
  const now = printAttributes(model);
  if (before === now) return;
  state.attributes = now;
  if (before === undefined) return;
  const added = new Map(
    Object.entries(JSON.parse(before) as Names).map(([uid, names]) => {
      const { attributes } = model.types.get(uid) ?? model.components.get(uid) ?? {};
      return [uid, new Set(attributes?.keys()).difference(new Set(names))] as const;
    }),
  );
  const names = new Set([...added.values()].flatMap((own) => [...own]));
  if (names.size === 0) return;
  for (const file of state.withKeys([...names]).values()) {
    const type = model.types.get(file.uid);
    const remover = new Remover(model, added);
    const written = type && file.written && remover.removeFrom(type, file.written);
    if (remover.hasRemoved) state.putUnread({ ...file, written });
  }
}
