/** Previews a change of the schema: the files that it would write, and its effect on the content. */
import type { Attribute, Component, ContentType, Model } from "../../engine/schema/model.ts";
import {
  type ChangedEnumerations,
  type CutList,
  type Effect,
  type LinkChanges,
  listEffects,
  type RemovedEntries,
} from "../../engine/storage/change-effects.ts";
import { createLayout } from "../../engine/storage/layout.ts";
import type { AdminServices } from "../services.ts";
import { checkEdit, type FileText, fileTexts, hashFiles } from "./apply.ts";
import type { Edit } from "./edits.ts";
import type { AttributeRename } from "./schema-edit.ts";
import { findByTable, modelAfter, storedRenames } from "./stored-renames.ts";

/** The values of an enumeration; undefined for other attributes. */
function listValues(attribute: Attribute | undefined): readonly unknown[] | undefined {
  if (attribute?.kind !== "scalar" || attribute.type.name !== "enumeration") return undefined;
  return attribute.definition.enum as readonly unknown[];
}

const listSchemas = ({ types, components }: Model): readonly (ContentType | Component)[] => [
  ...types.values(),
  ...components.values(),
];

/** Enumerations that a change of the schema makes, or from which it removes values. */
function changedEnumerations(before: Model, after: Model, renames: readonly AttributeRename[]): ChangedEnumerations {
  const changed = new Map<string, ReadonlyMap<string, ReadonlySet<unknown>>>();
  for (const { uid, attributes } of listSchemas(after)) {
    const old = (before.types.get(uid) ?? before.components.get(uid))?.attributes;
    const columns = new Map<string, ReadonlySet<unknown>>();
    for (const attribute of attributes.values()) {
      const allowed = listValues(attribute);
      if (!allowed || attribute.kind !== "scalar") continue;
      const earlier = renames.find((rename) => rename.uid === uid && rename.to === attribute.name)?.from;
      const known = listValues(old?.get(earlier ?? attribute.name));
      if (!known?.every((value) => allowed.includes(value))) columns.set(attribute.column, new Set(allowed));
    }
    if (columns.size > 0) changed.set(uid, columns);
  }
  return changed;
}

/** Lists that become single values, and components that dynamic zones no longer have. */
function findLinkChanges(before: Model, after: Model, renames: readonly AttributeRename[]): LinkChanges {
  const cut: CutList[] = [];
  const removed: RemovedEntries[] = [];
  const tableOf = (model: Model) => (uid: string) => model.components.get(uid)?.table;
  for (const { uid, table, attributes } of listSchemas(before)) {
    const attributesAfter = findByTable(after, table)?.attributes;
    for (const attribute of attributes.values()) {
      if (!("link" in attribute)) continue;
      const { link, many, kind } = attribute;
      const name = renames.find((rename) => rename.uid === uid && rename.from === attribute.name)?.to ?? attribute.name;
      const next = attributesAfter?.get(name);
      if (kind === "zone" && next?.kind === "zone") {
        const kept = new Set(next.components.map(tableOf(after)));
        const tables = attribute.components
          .map(tableOf(before))
          .filter((part) => part !== undefined && !kept.has(part));
        if (tables.length > 0) removed.push({ uid, attribute: name, field: link.field, tables: tables as string[] });
      } else if (next?.kind === kind && "link" in next && many && !next.many) {
        const target = kind === "relation" ? before.types.get(attribute.target ?? "") : undefined;
        cut.push({ uid, attribute: name, link, table, targets: target?.table });
      }
    }
  }
  return { cut, removed };
}

export interface Preview {
  readonly uid: string;
  /** Of all contents below: a change that names it is refused once they are others. */
  readonly version: string;
  /** `null` for a file that does not exist before, or after. */
  readonly files: readonly FileText[];
  readonly effects: readonly Effect[];
}

/** Throws a BuilderError for a schema that could not be served. */
export async function previewEdit(services: AdminServices, { uid, edit }: Edit): Promise<Preview> {
  checkEdit(services, edit);
  const { context } = services;
  const model = modelAfter(services, edit);
  const renames = storedRenames(context.model, model, edit.renames);
  const files = fileTexts(services, edit);
  return {
    uid,
    version: hashFiles(files),
    files: files.filter(({ before, after }) => before !== after),
    effects: await listEffects(
      context.storage,
      createLayout(model),
      renames,
      context.defaultLocale(),
      changedEnumerations(context.model, model, edit.renames),
      findLinkChanges(context.model, model, edit.renames),
    ),
  };
}
