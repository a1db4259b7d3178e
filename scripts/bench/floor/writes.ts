/** The floor's writes of articles: a draft and its published version, with their links and components. */
import { ARTICLES, type FloorDatabase, type Row, type Value } from "./database.ts";
import type { Listed } from "./order.ts";
import type { Others } from "./others.ts";
import { document, openArticle } from "./text.ts";

interface Input {
  readonly title: string;
  readonly slug: string;
  readonly views: number;
  readonly category: string;
  readonly tags: readonly string[];
  readonly seo: { readonly metaTitle: string; readonly metaDescription: string };
}

/** The places of values in a row of `ARTICLES`. */
const [TITLE, VIEWS, DATE, UPDATED, PUBLISHED] = [2, 8, 11, 14, 15] as const;
const UNIQUE = "0123456789abcdefghijklmnopqrstuvwxyz";

function newDocumentId(): string {
  let id = "a";
  for (const byte of crypto.getRandomValues(new Uint8Array(23))) id += UNIQUE[byte % UNIQUE.length];
  return id;
}

export function writes(
  { prepare, fields }: FloorDatabase,
  others: Others,
  changed: (old: number | undefined, article: Listed) => void,
) {
  const idsByDocument = (all: Others["tags"]): Map<string, number> =>
    new Map([...all].map(([id, { documentId }]) => [documentId, id]));
  const [categories, tags] = [idsByDocument(others.categories), idsByDocument(others.tags)];
  const begin = prepare("BEGIN IMMEDIATE");
  const commit = prepare("COMMIT");
  const rollback = prepare("ROLLBACK");
  const hasSlug = prepare("SELECT 1 FROM articles WHERE slug = ? LIMIT 1");
  const insert = prepare(
    `INSERT INTO articles (document_id, locale, status, created_at, updated_at, published_at, title, slug, kind, views, featured)
     VALUES (?1, 'en', ?2, ?3, ?3, ?4, ?5, ?6, 'news', ?7, 0)`,
  );
  const insertSeo = prepare("INSERT INTO components_shared_seos (metaTitle, metaDescription) VALUES (?, ?)");
  const insertLink = prepare(
    `INSERT INTO galley_links (field, owner, position, target, kind, inverse)
     VALUES (?1, ?2, ?3, ?4, 0, (SELECT coalesce(max(inverse), 0) + 1 FROM galley_links WHERE field = ?1 AND target = ?4))`,
  );
  const versions = prepare(`SELECT ${ARTICLES} FROM articles WHERE document_id = ? AND locale = 'en' ORDER BY status`);
  const update = prepare("UPDATE articles SET views = ?, updated_at = ? WHERE id = ?");
  // a published version gets an id of its own each time, as in Strapi
  const republish = prepare(
    `UPDATE articles SET id = (SELECT seq + 1 FROM sqlite_sequence WHERE name = 'articles'), views = ?, updated_at = ?, published_at = ?
     WHERE id = ? RETURNING id`,
  );
  const useId = prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'articles'");
  const moveLinks = prepare("UPDATE galley_links SET owner = ?1 WHERE owner = ?2");

  function transaction<T>(work: () => T): T {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      rollback.run();
      throw error;
    }
  }

  return {
    create(input: Input): string {
      const { title, slug, views, category, seo } = input;
      const now = new Date().toISOString();
      const documentId = newDocumentId();
      const id = transaction(() => {
        if (hasSlug.values(slug).length > 0) throw new Error(`There is an article at ${slug}`);
        let last = 0;
        for (const status of ["draft", "published"]) {
          const publishedAt = status === "draft" ? null : now;
          last = Number(insert.run(documentId, status, now, publishedAt, title, slug, views).lastInsertRowid);
          insertLink.run(fields.category, last, 1, categories.get(category)!);
          for (const [index, tag] of input.tags.entries()) insertLink.run(fields.tags, last, index + 1, tags.get(tag)!);
          const component = insertSeo.run(seo.metaTitle, seo.metaDescription).lastInsertRowid;
          insertLink.run(fields.seo, last, 1, Number(component));
        }
        return last;
      });
      changed(undefined, { id, views, date: "", title: title.toLowerCase() });
      const row: Row = [id, documentId, title, slug, null, null, null, "news", views, null, 0, null, null];
      return document(openArticle([...row, now, now, now, "en"]));
    },

    /** Publishes an article whose versions have the same links; `views` undefined: as it is. */
    update(documentId: string, views: Value | undefined): string {
      const now = new Date().toISOString();
      const { old, draft } = transaction(() => {
        const [draft, published] = versions.values(documentId) as [Row, Row];
        if (draft[UPDATED] !== published[UPDATED]) throw new Error(`${documentId} is modified`);
        if (views !== undefined) draft[VIEWS] = views;
        update.run(draft[VIEWS]!, now, draft[0]!);
        const [[id]] = republish.values(draft[VIEWS]!, now, now, published[0]!) as [[number]];
        useId.run(id);
        moveLinks.run(id, published[0]!);
        draft[0] = id;
        draft[UPDATED] = now;
        draft[PUBLISHED] = now;
        return { old: published[0] as number, draft };
      });
      changed(old, {
        id: draft[0] as number,
        views: draft[VIEWS] as number,
        date: String(draft[DATE] ?? ""),
        title: String(draft[TITLE]).toLowerCase(),
      });
      return document(openArticle(draft));
    },
  };
}
