/** Finds files that texts use, by the URLs that editors insert. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ScalarAttribute, Schema } from "../../engine/schema/model.ts";
import { quote, rowLimit } from "../../engine/storage/sql.ts";

/** Attributes of these types may hold the URL of a file. */
const TYPES: ReadonlySet<string> = new Set(["string", "text", "richtext", "blocks", "json"]);

const UPLOADS = "/uploads/";
/** The name of a file in its URL, or that of one of its copies. */
const NAME = /\/uploads\/([\w.~%-]+)/g;

interface TextColumn {
  readonly schema: Schema;
  readonly attribute: ScalarAttribute;
}

export function textColumns({ model }: DocumentsContext): TextColumn[] {
  return [...model.types.values(), ...model.components.values()].flatMap((schema) =>
    // rows of files contain their own URLs
    "plugin" in schema && schema.plugin
      ? []
      : [...schema.attributes.values()].flatMap((attribute) =>
          attribute.kind === "scalar" && !attribute.type.isSecret && TYPES.has(attribute.definition.type)
            ? [{ schema, attribute }]
            : [],
        ),
  );
}

/** Rows whose text has `needle`, at most `limit`. */
export function rowsWith(
  { storage }: DocumentsContext,
  { schema, attribute }: TextColumn,
  needle: string,
  limit: number,
): number[] {
  const sql = `SELECT id FROM ${quote(schema.table)} WHERE instr(${quote(attribute.column)}, ?) > 0 ${rowLimit()}`;
  return storage.all(sql, [needle, limit]).map(([id]) => id as number);
}

/** The name, and what remains of it without the key of a copy in front: `thumbnail_a_1.png`, `a_1.png`, `1.png`. */
function suffixes(name: string): string[] {
  const stem = name.replace(/\.[^.]*$/, "");
  const parts = stem.split("_");
  return parts.map((_, index) => parts.slice(index).join("_"));
}

/**
 * The subset of `hashes` that texts name. Reads every text that names any file. Other requests are handled after each attribute, so the
 * content may change in between.
 */
export async function namedInTexts(context: DocumentsContext, hashes: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { schema, attribute } of textColumns(context)) {
    const column = quote(attribute.column);
    const sql = `SELECT ${column} FROM ${quote(schema.table)} WHERE instr(${column}, ?) > 0`;
    for (const [text] of context.storage.all(sql, [UPLOADS]))
      for (const [, name = ""] of String(text).matchAll(NAME))
        for (const hash of suffixes(name)) if (hashes.has(hash)) found.add(hash);
    await Bun.sleep(0);
  }
  return found;
}
