/** Finds changes that code makes to schemas at the start and that were not known when the project was opened. */
import type { Model, Schema } from "../../engine/schema/model.ts";
import { visibleUids } from "../data/administration-types.ts";
import { createView, type Schemas, type SchemaView } from "../data/schemas.ts";

/** The attributes of a view that differ from those of the model. */
function changedAttributes(view: SchemaView, fresh: SchemaView, { attributes }: Schema): string[] {
  const names = new Set([...Object.keys(view.attributes), ...Object.keys(fresh.attributes)]);
  return [...names].filter((name) => {
    const own = view.attributes[name];
    if (own === undefined && attributes.get(name)?.system) return false;
    return !Bun.deepEquals(own, fresh.attributes[name]) && !Bun.deepEquals(own, attributes.get(name)?.definition);
  });
}

/** The function returns sentences about changes since its last call, which are not followed. */
export function watchSchemas(model: Model, { contentTypes, components, isRead }: Schemas): () => string[] {
  const reported = new Set<string>();
  const schemas: ReadonlyMap<string, Schema> = new Map<string, Schema>([...model.types, ...model.components]);
  return () => {
    const texts = [...Object.keys(contentTypes), ...Object.keys(components)].flatMap((uid) => {
      if (visibleUids.includes(uid)) return [];
      const schema = schemas.get(uid);
      if (!schema) return [`adds the type ${uid}`];
      if (!isRead(uid)) return [];
      const view = contentTypes[uid] ?? components[uid]!;
      const changed = changedAttributes(view, createView(schema), schema);
      return changed.length === 0 ? [] : [`changes ${changed.join(", ")} of ${uid}`];
    });
    const news = texts.filter((text) => !reported.has(text));
    for (const text of news) reported.add(text);
    return news;
  };
}
