/** What `galley serve` says at its start: where it is, who may read what, and where to look first. */

import { apiTypes, type ContentType } from "../schema/model.ts";
import type { Project } from "../server/project.ts";

const pathOf = (type: ContentType): string => `/${type.kind === "singleType" ? type.singularName : type.pluralName}`;

/** Populating shows more of a document than a list alone. */
function suggestions({ settings, model }: Project, readable: readonly ContentType[]): string[] {
  const { prefix } = settings.rest;
  const lists = readable.filter(({ kind }) => kind === "collectionType");
  const richest = [...(readable.length > 0 ? readable : apiTypes(model))].sort(
    (a, b) => b.attributes.size - a.attributes.size,
  )[0];
  const paths = lists.slice(0, 2).map((type) => prefix + pathOf(type));
  if (richest) paths.unshift(`${prefix}${pathOf(richest)}?populate=*`);
  return [...new Set(paths), settings.graphql.endpoint].slice(0, 3);
}

export function welcome(project: Project, host: string, port: number): string[] {
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { access, model, changes } = project;
  const isPublic = access.access.publicDecision();
  const readable = apiTypes(model).filter(({ uid }) => isPublic(`${uid}.find`));
  const names = readable.map(({ pluralName, singularName, kind }) =>
    kind === "singleType" ? singularName : pluralName,
  );
  const open =
    readable.length > 0
      ? `readable by everybody: ${names.join(", ")}`
      : "nothing is public; config/galley.json grants access, --public lets everybody read";
  return [
    ...changes.map(({ table, text }) => `schema: ${table} ${text}`),
    `Galley serves ${apiTypes(model).length} content-types at ${address}`,
    open,
    ...suggestions(project, readable).map((path) => `  ${address}${path}`),
  ];
}
