/** The floor's lists: of a page, populated, searched and filtered through a relation, and those of GraphQL. */
import { ARTICLES, type FloorDatabase, type Row } from "./database.ts";
import { type Listed, type Order, placeOf } from "./order.ts";
import type { Others } from "./others.ts";
import { openArticle, page, quoted } from "./text.ts";

/** The links of an article, as JSON text. */
interface Links {
  author: string;
  category: string;
  seo: string;
  readonly tags: string[];
  readonly sections: string[];
}

const idsOf = (list: readonly Listed[], start: number, count: number): number[] =>
  list.slice(start, start + count).map(({ id }) => id);

export function lists(database: FloorDatabase, order: Order, others: Others) {
  const { prepare, rowsOf, fields, quotes } = database;
  const articlesOf = rowsOf(`SELECT ${ARTICLES} FROM articles WHERE id`);
  const titlesOf = rowsOf("SELECT id, document_id, title, slug FROM articles WHERE id");
  const linksOf = rowsOf("SELECT owner, field, target, kind FROM galley_links WHERE owner");
  const seosOf = rowsOf("SELECT id, metaTitle, metaDescription FROM components_shared_seos WHERE id");
  const quotesOf = rowsOf("SELECT id, title, body FROM components_shared_quotes WHERE id");
  const richTextsOf = rowsOf("SELECT id, body FROM components_shared_rich_texts WHERE id");
  const ofCategory = prepare(`SELECT owner FROM galley_links WHERE field = ${fields.category} AND target = ?`);

  const inOrder = <T>(rows: readonly Row[], ids: readonly number[], make: (row: Row) => T): T[] => {
    const made = new Map<unknown, T>();
    for (const row of rows) made.set(row[0], make(row));
    return ids.map((id) => made.get(id)!);
  };
  const texts = (ids: readonly number[]): string[] => inOrder(articlesOf(ids), ids, openArticle);

  /** `isShort`: the author's name alone, and no component that has one owner. */
  function linksOfAll(ids: readonly number[], isShort: boolean): Map<number, Links> {
    const links = new Map<number, Links>();
    for (const id of ids) links.set(id, { author: "null", category: "null", seo: "null", tags: [], sections: [] });
    const rows = linksOf(ids) as number[][];
    const components = new Map<string, string>();
    const targets = (isOf: (field: number, kind: number) => boolean): number[] =>
      rows.flatMap(([, field, target, kind]) => (isOf(field!, kind!) ? [target!] : []));
    const isQuote = (field: number, kind: number): boolean => field === fields.sections && kind === quotes;
    const isRichText = (field: number, kind: number): boolean => field === fields.sections && kind !== quotes;
    for (const [id, title, body] of quotesOf(targets(isQuote)))
      components.set(
        `q${id}`,
        `{"id":${id},"title":${quoted(title)},"body":${quoted(body)},"__component":"shared.quote"}`,
      );
    for (const [id, body] of richTextsOf(targets(isRichText)))
      components.set(`r${id}`, `{"id":${id},"body":${quoted(body)},"__component":"shared.rich-text"}`);
    if (!isShort)
      for (const [id, title, description] of seosOf(targets((field) => field === fields.seo)))
        components.set(`s${id}`, `{"id":${id},"metaTitle":${quoted(title)},"metaDescription":${quoted(description)}}`);
    for (const [owner, field, target, kind] of rows) {
      const own = links.get(owner!)!;
      if (field === fields.tags) own.tags.push(others.tags.get(target!)!.text);
      else if (field === fields.sections) own.sections.push(components.get(`${kind === quotes ? "q" : "r"}${target}`)!);
      else if (field === fields.category) own.category = others.categories.get(target!)!.text;
      else if (field === fields.seo) own.seo = components.get(`s${target}`) ?? "null";
      else {
        const { text, short, documentId } = others.authors.get(target!)!;
        own.author = isShort ? `{"id":${target},"documentId":"${documentId}",${short}` : text;
      }
    }
    return links;
  }

  function populated(ids: readonly number[]): string[] {
    const links = linksOfAll(ids, false);
    return texts(ids).map((text, index) => {
      const { author, category, seo, tags, sections } = links.get(ids[index]!)!;
      return `${text},"author":${author},"category":${category},"tags":[${tags}],"related":[],"cover":null,"gallery":[],"seo":${seo},"links":[],"sections":[${sections}],"localizations":[]}`;
    });
  }

  return {
    list(number: number, size: number, isPopulated: boolean): string {
      const own = idsOf(order.byViews, (number - 1) * size, size);
      return page(
        isPopulated ? populated(own) : texts(own).map((text) => `${text}}`),
        number,
        size,
        order.byViews.length,
      );
    },

    search(part: string, size: number): string {
      const { text, ids } = order.titles();
      const wanted = part.toLowerCase();
      const found: number[] = [];
      let total = 0;
      let line = 0;
      let counted = 0;
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, text.indexOf("\n", at) >>> 0)) {
        total++;
        if (total > size) continue;
        for (let end = text.indexOf("\n", counted); end >= 0 && end < at; end = text.indexOf("\n", counted)) {
          line++;
          counted = end + 1;
        }
        found.push(ids[line - 1]!);
      }
      return page(found.length === 0 ? [] : texts(found).map((each) => `${each}}`), 1, size, total);
    },

    /** Of a category, from a number of views on, sorted by date, populated two levels. */
    deep(slug: string, views: number, size: number): string {
      const found: Listed[] = [];
      for (const [owner] of ofCategory.values(others.slugs.get(slug)!) as number[][]) {
        const article = order.byId.get(owner!);
        if (article && article.views >= views) found.push(article);
      }
      found.sort((a, b) => (a.date === b.date ? a.id - b.id : a.date < b.date ? 1 : -1));
      const ids = idsOf(found, 0, size);
      const links = linksOfAll(ids, true);
      const articles = texts(ids).map((text, index) => {
        const { author, category, tags, sections } = links.get(ids[index]!)!;
        return `${text},"author":${author},"tags":[${tags}],"category":${category.slice(0, -1)},"parent":null},"sections":[${sections}]}`;
      });
      return page(articles, 1, size, found.length);
    },

    graphql(least: number, limit: number): string {
      const ids = idsOf(order.byViews, placeOf(order.byViews, { views: least, id: 0 }), limit);
      const found = new Map<number, { author: string; category: string; tags: string[] }>();
      for (const id of ids) found.set(id, { author: "null", category: "null", tags: [] });
      for (const [owner, field, target] of linksOf(ids) as number[][]) {
        const own = found.get(owner!)!;
        if (field === fields.tags) own.tags.push(others.tags.get(target!)!.short);
        else if (field === fields.author) own.author = `{${others.authors.get(target!)!.short}`;
        else if (field === fields.category) own.category = `{${others.categories.get(target!)!.short}`;
      }
      const articles = inOrder(titlesOf(ids), ids, ([id, documentId, title, slug]) => {
        const { author, category, tags } = found.get(id as number)!;
        return `{"documentId":"${documentId}","title":${quoted(title)},"slug":${quoted(slug)},"author":${author},"category":${category},"tags":[${tags}]}`;
      });
      return `{"data":{"articles":[${articles}]}}\n`;
    },
  };
}
