/** JSON text straight from the values of rows, without objects in between. */
import type { Row, Value } from "./database.ts";

export const quoted = (text: Value | undefined): string => (text === null ? "null" : JSON.stringify(text));

const flag = (value: Value | undefined): string => (value === null ? "null" : String(value === 1));

/** Without the last brace, so that populated attributes can follow. The values of a row as in `ARTICLES`. */
export function openArticle(row: Row): string {
  const [id, documentId, title, slug, excerpt, body, content, kind, views, rating, featured, date, ...rest] = row;
  const [metadata, createdAt, updatedAt, publishedAt, locale] = rest;
  // JSON is stored as it is sent
  return `{"id":${id},"documentId":"${documentId}","title":${quoted(title)},"slug":${quoted(slug)},"excerpt":${quoted(excerpt)},"body":${quoted(body)},"content":${content},"kind":${quoted(kind)},"views":${views},"rating":${rating},"featured":${flag(featured)},"publishDate":${quoted(date)},"metadata":${metadata},"createdAt":"${createdAt}","updatedAt":"${updatedAt}","publishedAt":"${publishedAt}","locale":"${locale}"`;
}

export const document = (article: string): string => `{"data":${article}},"meta":{}}`;

export const page = (articles: readonly string[], number: number, size: number, total: number): string =>
  `{"data":[${articles.join()}],"meta":{"pagination":{"page":${number},"pageSize":${size},"pageCount":${Math.ceil(total / size)},"total":${total}}}}`;
