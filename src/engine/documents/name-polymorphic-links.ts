/** Sets `target_attribute` of polymorphic links in databases that are older than the column. */
import type { DocumentsContext } from "./context.ts";

/** If several attributes showed a link, the first one keeps it. */
export function namePolymorphicLinks({ storage, model }: DocumentsContext): void {
  for (const { table, attributes } of model.types.values()) {
    for (const attribute of attributes.values()) {
      if (attribute.kind !== "relation" || attribute.link.targetAttribute === undefined) continue;
      const { field, targetAttribute } = attribute.link;
      storage.run(
        "UPDATE galley_links SET target_attribute = ? WHERE field = ? AND kind = ? AND target_attribute IS NULL",
        [targetAttribute, storage.number(field), storage.number(table)],
      );
    }
  }
}
