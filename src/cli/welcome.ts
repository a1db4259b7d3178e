/** What `galley serve` says at its start: where it is, who may read what, and where to look first. */

import { apiTypes, type ContentType } from "../schema/model.ts";
import type { Project } from "../server/project.ts";
import type { RunningProject } from "../server/running.ts";

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

/** The address that a browser reaches a host by; one that means every interface is reached as localhost. */
export function addressOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function loadedLine(content: RunningProject["content"]): string[] {
  if (!content) return [];
  const documents = [...content.documents.values()].reduce((sum, count) => sum + count, 0);
  return [`loaded ${documents} documents and ${content.files} files from content/`];
}

export function welcome({ project: current, content }: RunningProject, address: string): string[] {
  const project = current();
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
    ...loadedLine(content),
    ...project.settings.http.ignored.map((text) => `config/middlewares: ${text}`),
    `Galley serves ${apiTypes(model).length} content-types at ${address}`,
    open,
    ...suggestions(project, readable).map((path) => `  ${address}${path}`),
  ];
}
