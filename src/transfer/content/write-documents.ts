/** Writes the documents of files with the document service, in the caller's transaction. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { storedDocuments } from "../../engine/documents/document-service.ts";
import type { Data, Hashes } from "../../engine/documents/documents.ts";
import { hashPasswords, passwordsIn } from "../../engine/documents/passwords.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { ApiError } from "../../lib/errors.ts";
import type { WorkInTurns } from "../../lib/in-turns.ts";
import { pickBy } from "../../lib/records.ts";
import type { Json } from "../archive/shapes.ts";
import type { ContentLink } from "./content-file.ts";
import { apiProblems, type ChangeProblem, ChangesRefusedError, type DocumentChange } from "./document-change.ts";
import { ContentProblem, createLinkInput, type LinkTarget, type LinkTargets } from "./link-input.ts";
import { buildKey, byTime, firstDraft, keyOf, type LocaleWork, listWorks } from "./locale-work.ts";
import { type LocaleState, localeStates } from "./version-states.ts";
import { equalValues } from "./versions.ts";
import { createListedLinks, writeListedLinks } from "./write-listed-links.ts";
import { setTimes } from "./write-times.ts";

export interface WriteResult {
  /** Keys of files that are not attributes, and links to users that are missing. They are ignored. */
  readonly leftOut: readonly ChangeProblem[];
  /** Values of documents that were stored before, and that their type refuses now. They are stored. */
  readonly invalid: readonly ChangeProblem[];
}

/** Hashes for the passwords of changes, since hashing in a transaction would keep others waiting. */
export async function createHashes(
  { model }: DocumentsContext,
  changes: readonly DocumentChange[],
  defaultLocale: string,
): Promise<Hashes> {
  const passwords = changes.flatMap(({ type, after }) =>
    after === undefined
      ? []
      : localeStates(type, after, defaultLocale).flatMap(({ draft, published = {} }) => [
          ...passwordsIn(model, type, draft),
          ...passwordsIn(model, type, published),
        ]),
  );
  return hashPasswords(new Set(passwords));
}

function* each<T>(items: readonly T[], work: (item: T) => void): WorkInTurns<void> {
  for (const item of items) {
    work(item);
    yield;
  }
}

/** A step of a change, whose problems are its. */
interface Attempt {
  readonly change: DocumentChange;
  readonly path: ChangeProblem["path"];
  readonly links: {
    readonly path: ChangeProblem["path"];
    readonly link: LinkTarget & ContentLink;
    readonly locale: string | null;
  }[];
}

/** What is being written, and what has been so far. */
interface WritePass {
  readonly context: DocumentsContext;
  readonly links: LinkTargets;
  readonly hashes: Hashes;
  /** New locales of documents that have no row yet. */
  readonly missing: Set<string>;
  /** Documents of which a row was created. */
  readonly created: Set<DocumentChange>;
  /** Changes with a problem, whose further steps would only repeat it. */
  readonly failed: Set<DocumentChange>;
  readonly problems: ChangeProblem[];
  readonly invalid: ChangeProblem[];
  readonly leftOutByPath: Map<string, ChangeProblem>;
  current: Attempt | undefined;
  hasCreated: boolean;
  hasPublished: boolean;
}

/**
 * Writes changes inside a transaction: all documents first, then what links them, then what is published, so that documents may link
 * to each other. Throws a ChangesRefusedError with all problems; the caller's transaction is to be rolled back then.
 */
export function* writeDocuments(
  context: DocumentsContext,
  changes: readonly DocumentChange[],
  links: LinkTargets,
  hashes: Hashes,
): WorkInTurns<WriteResult> {
  const pass: WritePass = {
    context,
    links,
    hashes,
    missing: new Set(),
    created: new Set(),
    failed: new Set(),
    problems: [],
    invalid: [],
    leftOutByPath: new Map(),
    current: undefined,
    hasCreated: false,
    hasPublished: false,
  };
  const works = listWorks(context, changes, (error) => {
    const { change, path } = pass.current!;
    pass.invalid.push(...apiProblems(change, path, error));
  });
  const added = works.filter(({ before }) => !before);
  for (const work of added) pass.missing.add(keyOf(work));
  yield* createAll(
    pass,
    byTime(added, ({ draftTimes }) => draftTimes.createdAt),
  );
  pass.hasCreated = true;
  yield* each(works, (work) => write(pass, work, firstDraft(work)));
  yield* each(
    byTime(works, ({ publishedTimes }) => publishedTimes?.publishedAt),
    (work) => publish(pass, work),
  );
  pass.hasPublished = true;
  yield* each(works, (work) => write(pass, work, work.wanted.draft));
  yield* each(changes, (change) => remove(pass, change));
  const listed = createListedLinks(context, links);
  yield* each(works, ({ change, wanted, draft }) => {
    if (draft) writeListedLinks(listed, change.type, change.documentId, wanted);
  });
  yield* each(works, ({ change, wanted, before, draft }) => {
    if (draft) setTimes(context.storage, change, wanted, !before);
  });
  if (pass.problems.length > 0) throw new ChangesRefusedError(pass.problems);
  return { leftOut: [...pass.leftOutByPath.values()], invalid: pass.invalid };
}

/** Collects the problems of a step, so that the others are found, too. */
function attempt(pass: WritePass, { change, path }: Pick<LocaleWork, "change" | "path">, step: () => void): void {
  const { failed, problems } = pass;
  if (failed.has(change)) return;
  pass.current = { change, path, links: [] };
  try {
    step();
  } catch (error) {
    failed.add(change);
    if (error instanceof AggregateError)
      problems.push(
        ...(error.errors as ContentProblem[]).map(({ path, message: reason }) => ({ change, path, reason })),
      );
    else if (error instanceof ApiError)
      problems.push(...(missingTargets(pass, pass.current) ?? apiProblems(change, path, error)));
    else throw error;
  }
}

/** The links to locales that their documents do not have, of which the service names ids only. */
function missingTargets({ context }: WritePass, { change, links }: Attempt): ChangeProblem[] | undefined {
  const hasRow = ({ uid, documentId }: LinkTarget, locale: string): boolean => {
    const sql = `SELECT 1 FROM ${quote(contentType(context.model, uid).table)} WHERE document_id = ? AND locale = ?`;
    return context.storage.first(sql, [documentId, locale]) !== undefined;
  };
  const missing = links.flatMap(({ path, link, locale }) =>
    locale === null || hasRow(link, locale)
      ? []
      : [{ change, path, reason: `"${link.document}" has no locale "${locale}"` }],
  );
  return missing.length > 0 ? missing : undefined;
}

/** Input for the service, without attributes that cannot be written yet. Throws an AggregateError of ContentProblems. */
function input(pass: WritePass, { change, path, wanted }: LocaleWork, attributes: Json): Data {
  const { context, links, leftOutByPath, hasPublished, hasCreated, missing } = pass;
  const readInput = createLinkInput(
    context.model,
    links,
    (at, reason) => leftOutByPath.set(JSON.stringify([change.documentId, at]), { change, path: at, reason }),
    change.type.localized ? (target, locale) => findRow(pass, change, target, locale) : undefined,
  );
  const data: Data = {};
  const invalidLinks: ContentProblem[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    let isComplete = true;
    const written: Attempt["links"][number][] = [];
    try {
      const read = readInput(change.type, { [name]: value }, path, (link, linkPath) => {
        const locale = localeOf(pass, link, wanted);
        written.push({ path: linkPath, link, locale });
        // a link to one version gets the other one when that is published for the first time
        const isEarly = (link.status !== undefined && !hasPublished) || (link.locale !== undefined && !hasCreated);
        const canWrite = !(link.isAbsent || missing.has(buildKey(link, locale)) || isEarly);
        isComplete &&= canWrite;
        return canWrite;
      });
      if (!isComplete) continue;
      Object.assign(data, read);
      pass.current!.links.push(...written);
    } catch (error) {
      if (!(error instanceof ContentProblem)) throw error;
      invalidLinks.push(error);
    }
  }
  if (invalidLinks.length > 0) throw new AggregateError(invalidLinks);
  return data;
}

/** The locale of the row that a link leads to. */
function localeOf(
  { context }: WritePass,
  { uid, locale }: LinkTarget & ContentLink,
  owner: LocaleState,
): string | null {
  return contentType(context.model, uid).localized ? (locale ?? owner.locale ?? context.defaultLocale()) : null;
}

/** The row of a target, in the version that the owner's draft links. */
function findRow(
  { context }: WritePass,
  { type }: DocumentChange,
  { uid, documentId }: LinkTarget,
  locale: string,
): number | undefined {
  const target = contentType(context.model, uid);
  const status = target.draftAndPublish && type.draftAndPublish ? "draft" : "published";
  return context.storage.first(
    `SELECT id FROM ${quote(target.table)} WHERE document_id = ? AND locale = ? AND status = ?`,
    [documentId, locale, status],
  )?.[0] as number | undefined;
}

/** Creates rows; those whose required links lead to later ones come after these, unless they require each other. */
function* createAll(pass: WritePass, works: readonly LocaleWork[]): WorkInTurns<void> {
  let waiting = works;
  for (let isLast = false; waiting.length > 0; ) {
    const left: LocaleWork[] = [];
    yield* each(waiting, (work) => {
      if (!create(pass, work, isLast)) left.push(work);
    });
    isLast = left.length === waiting.length;
    waiting = left;
  }
}

/** Creates the row of a new locale, without links to documents that have none yet. False: it should be created later. */
function create(pass: WritePass, work: LocaleWork, isLast: boolean): boolean {
  const { created, hashes, missing } = pass;
  const { change, service, wanted } = work;
  const { documentId, type } = change;
  const { locale } = wanted;
  const attributes = firstDraft(work);
  let isDone = true;
  attempt(pass, work, () => {
    const data = input(pass, work, attributes);
    const isMissing = (name: string): boolean => type.attributes.get(name)?.required === true && !(name in data);
    isDone = isLast || !Object.keys(attributes).some(isMissing);
    if (!isDone) return;
    if (change.before || created.has(change)) service.updateSync({ documentId, data, locale }, hashes);
    else service.createSync({ data, locale }, hashes, documentId);
    created.add(change);
    missing.delete(keyOf(work));
    work.draft = pickBy(attributes, (_, name) => name in data);
  });
  return isDone;
}

/** Brings the draft, or the only version, to the attributes. */
function write(pass: WritePass, work: LocaleWork, attributes: Json): void {
  const { change, service, wanted, draft } = work;
  if (!draft) return;
  const changed = Object.keys({ ...draft, ...attributes }).filter((key) => !equalValues(draft[key], attributes[key]));
  if (changed.length === 0) return;
  const { documentId } = change;
  const { locale } = wanted;
  attempt(pass, work, () => {
    const removed = changed.filter((name) => attributes[name] === undefined);
    const kept = changed.filter((name) => attributes[name] !== undefined);
    const data = {
      ...Object.fromEntries(removed.flatMap((name) => emptied(change.type, name))),
      ...input(pass, work, Object.fromEntries(kept.map((name) => [name, attributes[name]]))),
    };
    if (Object.keys(data).length > 0) service.updateSync({ documentId, data, locale }, pass.hashes);
    const left = kept.filter((name) => !(name in data)).map((name) => [name, draft[name]]);
    work.draft = { ...attributes, ...Object.fromEntries(left) };
  });
}

function publish(pass: WritePass, work: LocaleWork): void {
  const { change, service, wanted, before, draft, isPublished } = work;
  if (!draft) return;
  const version = { documentId: change.documentId, locale: wanted.locale };
  if (isPublished) attempt(pass, work, () => service.publishSync(version));
  else if (before?.published && !wanted.published) attempt(pass, work, () => service.unpublishSync(version));
}

/** Deletes the document, or the locales that the file has no longer. */
function remove(pass: WritePass, change: DocumentChange): void {
  const { context } = pass;
  const { type, documentId, before, after } = change;
  if (!before) return;
  const service = storedDocuments(context)(type);
  const step = { change, path: [] };
  if (!after) return attempt(pass, step, () => service.deleteSync({ documentId, locale: "*" }));
  const defaultLocale = context.defaultLocale();
  const kept = new Set(localeStates(type, after, defaultLocale).map(({ locale }) => locale));
  for (const { locale } of localeStates(type, before, defaultLocale))
    if (!kept.has(locale)) attempt(pass, step, () => service.deleteSync({ documentId, locale }));
}

/** The value that removes an attribute's. */
function emptied(type: ContentType, name: string): [string, unknown][] {
  const attribute = type.attributes.get(name);
  if (!attribute || attribute.system || !attribute.writable) return [];
  return [[name, attribute.kind !== "scalar" && attribute.many ? [] : null]];
}
