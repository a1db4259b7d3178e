/** The requests of a site's build that reads everything, over REST and GraphQL. */
import { apiTypes, type Model } from "../../src/engine/schema/model.ts";

export type Send = (path: string, init?: RequestInit) => Promise<Response>;

export function siteRequests(model: Model): string[] {
  const requests = ["/api/i18n/locales", "/api/upload/files?sort=name"];
  for (const type of apiTypes(model))
    for (const status of ["published", "draft"])
      for (const locale of type.localized ? ["en", "fr"] : [undefined]) {
        const name = type.kind === "singleType" ? type.singularName : type.pluralName;
        const query = `status=${status}&populate=*${locale ? `&locale=${locale}` : ""}`;
        requests.push(`/api/${name}?${query}${type.kind === "singleType" ? "" : "&sort=id&pagination[pageSize]=100"}`);
      }
  return requests;
}

const QUERY = `{ articles(sort: "title") { documentId title author { name } tags { label } } }`;
export const GRAPHQL = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query: QUERY }),
};

/** Resolves with the texts of all responses. */
export async function buildSite(model: Model, send: Send): Promise<string[]> {
  const texts: string[] = [];
  for (const path of siteRequests(model)) {
    const response = await send(path);
    texts.push(`${path} ${response.status} ${await response.text()}`);
  }
  const graphql = await send("/graphql", GRAPHQL);
  return [...texts, `graphql ${graphql.status} ${await graphql.text()}`];
}
