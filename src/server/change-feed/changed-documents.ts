/** Adds documents to listed versions, as a request for each of them would answer them. */
import type { Caller } from "../../engine/query/check-query.ts";
import type { Params } from "../../engine/query/parse.ts";
import { contentType } from "../../engine/schema/model.ts";
import type { ListedVersion } from "../../engine/storage/change-log/own-changes.ts";
import { validationError } from "../../lib/errors.ts";
import type { Project } from "../project/project.ts";
import type { Selections } from "./params.ts";

export interface FeedEntry extends ListedVersion {
  readonly document?: unknown;
}

const GONE: ReadonlySet<string> = new Set(["delete", "unpublish"]);

/** `listed`: the types that the caller may list. Throws a ValidationError for a query of another type, known or not. */
export function checkSelections({ model }: Project, { byType }: Selections, listed: ReadonlySet<string>): void {
  for (const uid of byType.keys())
    if (!listed.has(uid) || model.types.get(uid)?.plugin)
      throw validationError(`query: ${uid} is not a content-type that you may list`);
}

function selectionOf({ model }: Project, { populate, byType }: Selections, uid: string): Params | undefined {
  const own = byType.get(uid);
  if (own || populate === undefined || contentType(model, uid).plugin) return own;
  return { populate };
}

/** One statement for each type and locale, and those of its query. Throws what a request for the documents throws. */
export async function addDocuments(
  project: Project,
  versions: readonly ListedVersion[],
  selections: Selections,
  caller: Caller,
): Promise<FeedEntry[]> {
  const found = new Map<ListedVersion, unknown>();
  const existing = versions.filter(({ kind }) => !GONE.has(kind));
  const groups = Map.groupBy(existing, ({ type, locale }) => JSON.stringify([type, locale]));
  for (const group of groups.values()) {
    const { type, locale, status } = group[0]!;
    const selection = selectionOf(project, selections, type);
    if (!selection) continue;
    const byId = new Map(group.map((version) => [version.documentId, version]));
    const filters = { documentId: { $in: [...byId.keys()] } };
    const params = { ...selection, filters, status, ...(locale === null ? {} : { locale }) };
    const documents = project.context.documents(contentType(project.model, type), caller);
    for (const document of await documents.findMany(params))
      found.set(byId.get(document.documentId as string)!, document);
  }
  return versions.map((version) => (found.has(version) ? { ...version, document: found.get(version) } : version));
}
