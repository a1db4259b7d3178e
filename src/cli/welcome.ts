/** What `galley serve` prints at its start: its URL, who may read what, and first requests. */

import { problemText } from "../errors.ts";
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

/** How a warning about a middleware of the project ends, unlike those about built-in ones. */
const OWN_CODE = "is the project's own code, which is not run";

/** The URL's host for browsers: localhost for hosts that mean every interface. */
export function addressOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Hosts that mean this machine alone. */
const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "::1"]);

export interface ChosenHost {
  readonly host: string;
  /** A message for the command line. */
  readonly notice: string | undefined;
}

/**
 * The host to listen on. Projects are made to listen on every interface, since they are deployed; on somebody's own machine
 * only that machine is answered, unless the command line, the environment or production says otherwise.
 */
export function chooseHost(
  asked: string | undefined,
  configured: string | undefined,
  isProduction: boolean,
): ChosenHost {
  if (asked === undefined && configured !== undefined && !LOCAL_HOSTS.has(configured) && !isProduction) {
    const notice = `only this machine is answered; --host ${configured} opens the server as the project's configuration says`;
    return { host: "localhost", notice };
  }
  const host = asked ?? configured ?? "localhost";
  const notice = LOCAL_HOSTS.has(host) ? undefined : `other machines are answered, too: the server listens on ${host}`;
  return { host, notice };
}

function loadedLine(content: RunningProject["content"]): string[] {
  if (!content) return [];
  const documents = [...content.documents.values()].reduce((sum, count) => sum + count, 0);
  return [`loaded ${documents} documents and ${content.files} files from content/`];
}

/** Settings in files that have no effect. */
function ignoredLines({ settings, code }: ReturnType<RunningProject["project"]>): string[] {
  const ignored = settings.http.ignored.filter((text) => !code || !text.endsWith(OWN_CODE));
  const left = code?.problems.map(({ file, message }) => `WARNING: ${file} ${message}`) ?? [];
  const absent =
    code?.missing.map(({ file, name }) => `WARNING: ${file}: ${name} is not installed; what needs it fails`) ?? [];
  return [...ignored.map((text) => `config/middlewares: ${text}`), ...left, ...absent];
}

export function welcome({ project: current, content }: RunningProject, address: string, hostNotice?: string): string[] {
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
    ...project.warnings.map((problem) => `warning: ${problemText(problem)}`),
    ...ignoredLines(project),
    `Galley serves ${apiTypes(model).length} content-types at ${address}`,
    ...(hostNotice ? [hostNotice] : []),
    open,
    ...suggestions(project, readable).map((path) => `  ${address}${path}`),
  ];
}
