/** The floor's `populate=*`: one prepared statement per attribute, its rows given to the articles that own them. */
import type { Database } from "bun:sqlite";

type Row = readonly unknown[];
type Owner = { readonly id: number } & Record<string, unknown>;
type Make = (row: Row) => unknown;
/** Adds an attribute to articles; `ids` are theirs, as JSON. */
type Step = (articles: readonly Owner[], ids: string) => void;

const OF_ARTICLES = "IN (SELECT value FROM json_each(?))";
const json = (text: unknown): unknown => (text === null ? null : JSON.parse(text as string));

const ARTICLE = `t.id, t.document_id, t.title, t.slug, t.excerpt, t.body, t.content, t.kind, t.views, t.rating,
  t.featured, t.publishDate, t.metadata, t.created_at, t.updated_at, t.published_at, t.locale`;
const FILE = `t.id, t.document_id, t.name, t.alternativeText, t.caption, t.focalPoint, t.width, t.height, t.formats, t.hash,
  t.ext, t.mime, t.size, t.url, t.previewUrl, t.provider, t.provider_metadata, t.created_at, t.updated_at, t.published_at`;

const article: Make = ([, id, documentId, title, slug, excerpt, body, content, kind, views, rating, ...rest]) => {
  const [featured, publishDate, metadata, createdAt, updatedAt, publishedAt, locale] = rest;
  return {
    ...{ id, documentId, title, slug, excerpt, body, content: json(content), kind, views, rating },
    ...{ featured: featured === null ? null : featured === 1, publishDate, metadata: json(metadata) },
    ...{ createdAt, updatedAt, publishedAt, locale },
  };
};

const file: Make = ([, id, documentId, name, alternativeText, caption, focalPoint, width, height, ...rest]) => {
  const [formats, hash, ext, mime, size, url, previewUrl, provider, metadata, createdAt, updatedAt, publishedAt] = rest;
  return {
    ...{ id, documentId, name, alternativeText, caption, focalPoint: json(focalPoint), width, height },
    ...{ formats: json(formats), hash, ext, mime, size, url, previewUrl, provider },
    ...{ provider_metadata: json(metadata), createdAt, updatedAt, publishedAt },
  };
};

const author: Make = ([, id, documentId, name, email, bio, createdAt, updatedAt, publishedAt]) => ({
  ...{ id, documentId, name, email, bio, createdAt, updatedAt, publishedAt },
});
const category: Make = ([, id, documentId, name, slug, rank, createdAt, updatedAt, publishedAt]) => ({
  ...{ id, documentId, name, slug, rank, createdAt, updatedAt, publishedAt },
});
const tag: Make = ([, id, documentId, label, color, createdAt, updatedAt, publishedAt]) => ({
  ...{ id, documentId, label, color, createdAt, updatedAt, publishedAt },
});
const seo: Make = ([, id, metaTitle, metaDescription]) => ({ id, metaTitle, metaDescription });
const link: Make = ([, id, label, href, external]) => ({
  id,
  label,
  href,
  external: external === null ? null : external === 1,
});

const STAMPS = "t.created_at, t.updated_at, t.published_at";

/** Kinds of section that the bench's articles have. */
const sectionKinds: Readonly<Record<string, { columns: string; make: Make }>> = {
  components_shared_quotes: {
    columns: "t.id, t.title, t.body",
    make: ([id, title, body]) => ({ id, title, body, __component: "shared.quote" }),
  },
  components_shared_rich_texts: {
    columns: "t.id, t.body",
    make: ([id, body]) => ({ id, body, __component: "shared.rich-text" }),
  },
};

export function populateAll(db: Database): (articles: readonly Owner[]) => void {
  const numbers = new Map(db.query<[], []>("SELECT name, id FROM galley_names").values() as [string, number][]);
  const fieldOf = (name: string): number => {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`The database has no number for ${name}`);
    return number;
  };
  const linked = (name: string, table: string, columns: string) =>
    db.prepare<unknown, [string]>(
      `SELECT l.owner, ${columns} FROM galley_links l JOIN ${table} t ON t.id = l.target
       WHERE l.field = ${fieldOf(name)} AND l.owner ${OF_ARTICLES} ORDER BY l.owner, l.position`,
    );

  const one = (key: string, name: string, table: string, columns: string, make: Make): Step => {
    const statement = linked(name, table, columns);
    return (articles, ids) => {
      const found = new Map<unknown, unknown>();
      for (const row of statement.values(ids) as Row[]) found.set(row[0], make(row));
      for (const each of articles) each[key] = found.get(each.id) ?? null;
    };
  };
  const collect = (key: string, statement: { values: (ids: string) => unknown }, make: Make): Step => {
    return (articles, ids) => {
      const found = new Map<unknown, unknown[]>();
      for (const each of articles) {
        const own: unknown[] = [];
        each[key] = own;
        found.set(each.id, own);
      }
      for (const row of statement.values(ids) as Row[]) found.get(row[0])?.push(make(row));
    };
  };
  const many = (key: string, name: string, table: string, columns: string, make: Make): Step =>
    collect(key, linked(name, table, columns), make);

  const selectLinks = db.prepare<unknown, [string]>(
    `SELECT owner, target, kind FROM galley_links
     WHERE field = ${fieldOf("articles.sections>*")} AND owner ${OF_ARTICLES} ORDER BY owner, position`,
  );
  const kinds = Object.entries(sectionKinds).map(([table, { columns, make }]) => ({
    kind: fieldOf(table),
    make,
    rows: db.prepare<unknown, [string]>(`SELECT ${columns} FROM ${table} t WHERE t.id ${OF_ARTICLES}`),
  }));
  const sections: Step = (articles, ids) => {
    const links = selectLinks.values(ids) as [owner: number, target: number, kind: number][];
    const made = new Map<number, Map<unknown, unknown>>();
    for (const { kind, make, rows } of kinds) {
      const targets = JSON.stringify(links.filter((each) => each[2] === kind).map((each) => each[1]));
      made.set(kind, new Map((rows.values(targets) as Row[]).map((row) => [row[0], make(row)])));
    }
    const found = new Map<unknown, unknown[]>();
    for (const each of articles) {
      const own: unknown[] = [];
      each.sections = own;
      found.set(each.id, own);
    }
    for (const [owner, target, kind] of links) found.get(owner)?.push(made.get(kind)?.get(target));
  };

  const otherLocales = db.prepare<unknown, [string]>(
    `SELECT p.id, ${ARTICLE} FROM articles p
     JOIN articles t ON t.document_id = p.document_id AND +t.status = p.status AND t.locale <> p.locale
     WHERE p.id ${OF_ARTICLES} ORDER BY p.id, t.id`,
  );
  const steps: readonly Step[] = [
    one(
      "author",
      "articles.author>authors",
      "authors",
      `t.id, t.document_id, t.name, t.email, t.bio, ${STAMPS}`,
      author,
    ),
    one(
      "category",
      "articles.category>categories",
      "categories",
      `t.id, t.document_id, t.name, t.slug, t.rank, ${STAMPS}`,
      category,
    ),
    many("tags", "articles.tags>tags", "tags", `t.id, t.document_id, t.label, t.color, ${STAMPS}`, tag),
    many("related", "articles.related>articles", "articles", ARTICLE, article),
    one("cover", "articles.cover>files", "files", FILE, file),
    many("gallery", "articles.gallery>files", "files", FILE, file),
    one(
      "seo",
      "articles.seo>components_shared_seos",
      "components_shared_seos",
      "t.id, t.metaTitle, t.metaDescription",
      seo,
    ),
    many(
      "links",
      "articles.links>components_basic_links",
      "components_basic_links",
      "t.id, t.label, t.href, t.external",
      link,
    ),
    sections,
    collect("localizations", otherLocales, article),
  ];
  return (articles) => {
    const ids = JSON.stringify(articles.map(({ id }) => id));
    for (const step of steps) step(articles, ids);
  };
}
