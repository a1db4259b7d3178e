/** Names the links of databases from before links to several types had the name of the attribute that shows them. */
import type { DocumentsContext } from "./context.ts";

/** Links that several attributes showed are shown by the first of them. */
export function nameMixedLinks({ storage, model }: DocumentsContext): void {
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
