/** The output of `galley serve` at its start: URL, public content-types, and example requests. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { apiTypes, type ContentType, routeName } from "../../engine/schema/model.ts";
import { problemText } from "../../lib/errors.ts";
import { ignoredMiddlewares } from "../../server/code.ts";
import type { Project } from "../../server/project/project.ts";
import type { RunningProject } from "../../server/running.ts";
import { isEmpty } from "../../transfer/content/empty.ts";

/** Example URLs: first the type with most attributes, populated. */
function exampleUrls({ settings, model }: Project, readable: readonly ContentType[]): string[] {
  const { prefix } = settings.rest;
  const lists = readable.filter(({ kind }) => kind === "collectionType");
  const largest = [...(readable.length > 0 ? readable : apiTypes(model))].sort(
    (a, b) => b.attributes.size - a.attributes.size,
  )[0];
  const paths = lists.slice(0, 2).map((type) => `${prefix}/${routeName(type)}`);
  if (largest) paths.unshift(`${prefix}/${routeName(largest)}?populate=*`);
  return [...new Set(paths), settings.graphql.endpoint].slice(0, 3);
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function loadedLine(content: RunningProject["content"]): string[] {
  if (!content) return [];
  const documents = [...content.documents.values()].reduce((sum, count) => sum + count, 0);
  const files = content.files > 0 ? ` and ${counted(content.files, "file")}` : "";
  return [`loaded ${counted(documents, "document")}${files} from content/`];
}

/** Where the content of a Strapi project may be, of which nothing has been brought in yet. */
const STRAPI_DATABASE = ".tmp/data.db";

/** Asks for the database only beside one of Strapi. */
const importLines = ({ root, context }: Project): string[] =>
  existsSync(join(root, STRAPI_DATABASE)) && isEmpty(context)
    ? [
        `no content yet: that of ${STRAPI_DATABASE} comes with strapi export --no-encrypt -f content, and galley import content.tar.gz`,
      ]
    : [];

/** Warnings about settings and code that have no effect. */
function warningLines({ settings, code }: ReturnType<RunningProject["project"]>): string[] {
  const ignored = ignoredMiddlewares(settings.http, code !== undefined);
  const problems = code?.problems.map(({ file, message }) => `WARNING: ${file} ${message}`) ?? [];
  const missingImports =
    code?.missing.map(({ file, problem }) => `WARNING: ${file}: ${problem}; what needs it fails`) ?? [];
  return [...ignored.map((text) => `config/middlewares: ${text}`), ...problems, ...missingImports];
}

export function welcome({ project: current, content }: RunningProject, address: string, hostNotice?: string): string[] {
  const project = current();
  const { access, model, changes } = project;
  const isPublic = access.access.publicDecision();
  const readable = apiTypes(model).filter(({ uid }) => isPublic(`${uid}.find`));
  const accessLine =
    readable.length > 0
      ? `readable by everybody: ${readable.map(routeName).join(", ")}`
      : "nothing can be read without a token; config/galley.json grants access, --public lets everybody read";
  return [
    ...changes.map(({ table, text }) => `schema: ${table} ${text}`),
    ...loadedLine(content),
    ...importLines(project),
    ...project.warnings.map((problem) => `warning: ${problemText(problem)}`),
    ...warningLines(project),
    `Galley serves ${counted(apiTypes(model).length, "content-type")} at ${address}`,
    ...(hostNotice ? [hostNotice] : []),
    accessLine,
    ...exampleUrls(project, readable).map((path) => `  ${address}${path}`),
  ];
}
