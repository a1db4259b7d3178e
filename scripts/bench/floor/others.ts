/** What articles point to: rows of small tables, which nobody writes while the floor runs, as JSON text. */
import type { FloorDatabase, Row } from "./database.ts";
import { quoted } from "./text.ts";

export interface Other {
  readonly documentId: string;
  readonly text: string;
  /** The text of GraphQL, and of a `populate` with one field. */
  readonly short: string;
}

const stamps = (created: Row[number], updated: Row[number], published: Row[number]): string =>
  `"createdAt":"${created}","updatedAt":"${updated}","publishedAt":${quoted(published)}`;

export function readOthers({ prepare }: FloorDatabase) {
  const read = (columns: string, table: string, make: (row: Row) => Omit<Other, "documentId">) => {
    const rows = prepare(`SELECT id, document_id, created_at, updated_at, published_at, ${columns} FROM ${table}`);
    return new Map(
      (rows.values() as Row[]).map((row) => [row[0] as number, { documentId: row[1] as string, ...make(row) }]),
    );
  };
  const slugs = new Map<string, number>();
  return {
    authors: read("name, email, bio", "authors", ([id, documentId, created, updated, published, name, email, bio]) => ({
      text: `{"id":${id},"documentId":"${documentId}","name":${quoted(name)},"email":${quoted(email)},"bio":${quoted(bio)},${stamps(created!, updated!, published!)}}`,
      short: `"name":${quoted(name)}}`,
    })),
    categories: read("name, slug, rank", "categories", (row) => {
      const [id, documentId, created, updated, published, name, slug, rank] = row;
      slugs.set(slug as string, id as number);
      return {
        text: `{"id":${id},"documentId":"${documentId}","name":${quoted(name)},"slug":${quoted(slug)},"rank":${rank},${stamps(created!, updated!, published!)}}`,
        short: `"name":${quoted(name)}}`,
      };
    }),
    tags: read("label, color", "tags", ([id, documentId, created, updated, published, label, color]) => ({
      text: `{"id":${id},"documentId":"${documentId}","label":${quoted(label)},"color":${quoted(color)},${stamps(created!, updated!, published!)}}`,
      short: `{"label":${quoted(label)}}`,
    })),
    /** Categories by their slugs. */
    slugs,
  };
}

export type Others = ReturnType<typeof readOthers>;
