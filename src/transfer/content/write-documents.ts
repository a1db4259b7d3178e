/** Writes the documents of files with the document service, in the caller's transaction. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { storedDocuments } from "../../engine/documents/document-service.ts";
import type { Data, Documents, Hashes } from "../../engine/documents/documents.ts";
import { hashPasswords, passwordsIn } from "../../engine/documents/passwords.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { ApiError } from "../../lib/errors.ts";
import type { WorkInTurns } from "../../lib/in-turns.ts";
import { pickBy } from "../../lib/records.ts";
import type { Json } from "../archive/shapes.ts";
import type { ContentLink } from "./content-file.ts";
import { apiProblems, type ChangeProblem, ChangesRefusedError, type DocumentChange } from "./document-change.ts";
import { lenientContext } from "./lenient-rows.ts";
import { ContentProblem, createLinkInput, type LinkTarget, type LinkTargets } from "./link-input.ts";
import { type LocaleState, localeStates } from "./version-states.ts";
import { createListedLinks } from "./write-listed-links.ts";
import { setTimes } from "./write-times.ts";

/** A locale of a document on its way from what the database has to what the file says. */
interface LocaleWork {
  readonly change: DocumentChange;
  readonly service: Documents;
  readonly wanted: LocaleState;
  readonly before: LocaleState | undefined;
  /** Whether the published version, or the time of its publication, is another one. */
  readonly isPublished: boolean;
  /** The draft as it is now, in the values of files; undefined while there is no row. */
  draft: Json | undefined;
}

const same = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b, true);

/** The key of a document in a locale; null: of a type without locales. */
const buildKey = ({ uid, documentId }: LinkTarget, locale: string | null): string =>
  `${uid} ${documentId} ${locale ?? ""}`;

const keyOf = ({ change: { type, documentId }, wanted: { locale } }: LocaleWork): string =>
  buildKey({ uid: type.uid, documentId }, locale);

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
  let hasCreated = false;
  let hasPublished = false;
  const problems: ChangeProblem[] = [];
  const invalid: ChangeProblem[] = [];
  /** What is being written. */
  let current: DocumentChange | undefined;
  /** Its version that is being written. */
  let currentPath: ChangeProblem["path"] = [];
  /** Its links. */
  let currentLinks: {
    readonly path: ChangeProblem["path"];
    readonly link: LinkTarget & ContentLink;
    readonly locale: string | null;
  }[] = [];
  /** Changes with a problem, whose further steps would only repeat it. */
  const failed = new Set<DocumentChange>();
  const leftOutByPath = new Map<string, ChangeProblem>();
  /** Files state the values of every locale, and some differ in what locales should share. */
  const separate: DocumentsContext = { ...context, separatesLocales: true };
  /** For new documents that were stored before. */
  const lenient = lenientContext(separate, (error) => invalid.push(...apiProblems(current!, currentPath, error)));
  const listed = createListedLinks(context, links);
  const works = changes.flatMap((change) => listLocales(change));
  /** New locales of documents that have no row yet. */
  const missing = new Set(works.filter(({ before }) => !before).map(keyOf));
  /** Documents of which a row was created. */
  const created = new Set<DocumentChange>();

  function listLocales(change: DocumentChange): LocaleWork[] {
    const { type, before, after } = change;
    if (!after) return [];
    const defaultLocale = context.defaultLocale();
    const wasStored = !before && after.$id !== undefined && after.$createdAt !== undefined;
    const service = storedDocuments(wasStored ? lenient : separate)(type);
    const existing = before ? localeStates(type, before, defaultLocale) : [];
    return localeStates(type, after, defaultLocale).map((wanted) => {
      const found = existing.find(({ locale }) => locale === wanted.locale);
      return {
        change,
        service,
        wanted,
        before: found,
        isPublished: differsInPublication(wanted, found),
        draft: found?.draft,
      };
    });
  }

  /** Collects the problems of a step, so that the others are found, too. */
  function attempt(change: DocumentChange, work: () => void, path: ChangeProblem["path"] = []): void {
    if (failed.has(change)) return;
    current = change;
    currentPath = path;
    currentLinks = [];
    try {
      work();
    } catch (error) {
      failed.add(change);
      if (error instanceof AggregateError)
        problems.push(
          ...(error.errors as ContentProblem[]).map(({ path, message: reason }) => ({ change, path, reason })),
        );
      else if (error instanceof ApiError)
        problems.push(...(missingTargets(change) ?? apiProblems(change, path, error)));
      else throw error;
    }
  }

  /** The links to locales that their documents do not have, of which the service names ids only. */
  function missingTargets(change: DocumentChange): ChangeProblem[] | undefined {
    const hasRow = ({ uid, documentId }: LinkTarget, locale: string): boolean => {
      const sql = `SELECT 1 FROM ${quote(contentType(context.model, uid).table)} WHERE document_id = ? AND locale = ?`;
      return context.storage.first(sql, [documentId, locale]) !== undefined;
    };
    const missing = currentLinks.flatMap(({ path, link, locale }) =>
      locale === null || hasRow(link, locale)
        ? []
        : [{ change, path, reason: `"${link.document}" has no locale "${locale}"` }],
    );
    return missing.length > 0 ? missing : undefined;
  }

  /** Input for the service, without attributes that cannot be written yet. Throws an AggregateError of ContentProblems. */
  function input({ change, wanted }: LocaleWork, attributes: Json): Data {
    const path = findPath(change, wanted);
    const readInput = createLinkInput(
      context.model,
      links,
      (at, reason) => leftOutByPath.set(JSON.stringify([change.documentId, at]), { change, path: at, reason }),
      change.type.localized ? (target, locale) => findRow(change, target, locale) : undefined,
    );
    const data: Data = {};
    const invalidLinks: ContentProblem[] = [];
    for (const [name, value] of Object.entries(attributes)) {
      let isComplete = true;
      try {
        const read = readInput(change.type, { [name]: value }, path, (link, linkPath) => {
          const locale = localeOf(link, wanted);
          currentLinks.push({ path: linkPath, link, locale });
          // a link to one version gets the other one when that is published for the first time
          const isEarly = (link.status !== undefined && !hasPublished) || (link.locale !== undefined && !hasCreated);
          const canWrite = !(link.isAbsent || missing.has(buildKey(link, locale)) || isEarly);
          isComplete &&= canWrite;
          return canWrite;
        });
        if (isComplete) Object.assign(data, read);
      } catch (error) {
        if (!(error instanceof ContentProblem)) throw error;
        invalidLinks.push(error);
      }
    }
    if (invalidLinks.length > 0) throw new AggregateError(invalidLinks);
    return data;
  }

  /** The locale of the row that a link leads to. */
  function localeOf({ uid, locale }: LinkTarget & ContentLink, owner: LocaleState): string | null {
    return contentType(context.model, uid).localized ? (locale ?? owner.locale ?? context.defaultLocale()) : null;
  }

  /** The row of a target, in the version that the owner's draft links. */
  function findRow({ type }: DocumentChange, { uid, documentId }: LinkTarget, locale: string): number | undefined {
    const target = contentType(context.model, uid);
    const status = target.draftAndPublish && type.draftAndPublish ? "draft" : "published";
    return context.storage.first(
      `SELECT id FROM ${quote(target.table)} WHERE document_id = ? AND locale = ? AND status = ?`,
      [documentId, locale, status],
    )?.[0] as number | undefined;
  }

  function findPath({ type, after }: DocumentChange, { locale }: LocaleState): string[] {
    const first = type.localized ? (after?.$locale ?? context.defaultLocale()) : null;
    return locale === null || locale === first ? [] : ["$locales", locale];
  }

  /** Creates rows; those whose required links lead to later ones come after these, unless they require each other. */
  function* createAll(works: readonly LocaleWork[]): WorkInTurns<void> {
    let waiting = works;
    for (let isLast = false; waiting.length > 0; ) {
      const left: LocaleWork[] = [];
      yield* each(waiting, (work) => {
        if (!create(work, isLast)) left.push(work);
      });
      isLast = left.length === waiting.length;
      waiting = left;
    }
  }

  /** Creates the row of a new locale, without links to documents that have none yet. False: it should be created later. */
  function create(work: LocaleWork, isLast: boolean): boolean {
    const { change, service, wanted } = work;
    const { documentId, type } = change;
    const { locale } = wanted;
    const attributes = firstDraft(work);
    let isDone = true;
    attempt(
      change,
      () => {
        const data = input(work, attributes);
        const isMissing = (name: string): boolean => type.attributes.get(name)?.required === true && !(name in data);
        isDone = isLast || !Object.keys(attributes).some(isMissing);
        if (!isDone) return;
        if (change.before || created.has(change)) service.updateSync({ documentId, data, locale }, hashes);
        else service.createSync({ data, locale }, hashes, documentId);
        created.add(change);
        missing.delete(keyOf(work));
        work.draft = pickBy(attributes, (_, name) => name in data);
      },
      findPath(change, wanted),
    );
    return isDone;
  }

  /** Brings the draft, or the only version, to the attributes. */
  function write(work: LocaleWork, attributes: Json): void {
    const { change, service, wanted, draft } = work;
    if (!draft) return;
    const changed = Object.keys({ ...draft, ...attributes }).filter((name) => !same(draft[name], attributes[name]));
    if (changed.length === 0) return;
    const { documentId } = change;
    const { locale } = wanted;
    attempt(
      change,
      () => {
        const removed = changed.filter((name) => attributes[name] === undefined);
        const kept = changed.filter((name) => attributes[name] !== undefined);
        const data = {
          ...Object.fromEntries(removed.flatMap((name) => emptied(change.type, name))),
          ...input(work, Object.fromEntries(kept.map((name) => [name, attributes[name]]))),
        };
        if (Object.keys(data).length > 0) service.updateSync({ documentId, data, locale }, hashes);
        const left = kept.filter((name) => !(name in data)).map((name) => [name, draft[name]]);
        work.draft = { ...attributes, ...Object.fromEntries(left) };
      },
      findPath(change, wanted),
    );
  }

  function publish({ change, service, wanted, before, draft, isPublished }: LocaleWork): void {
    if (!draft) return;
    const version = { documentId: change.documentId, locale: wanted.locale };
    const path = findPath(change, wanted);
    if (isPublished) attempt(change, () => service.publishSync(version), path);
    else if (before?.published && !wanted.published) attempt(change, () => service.unpublishSync(version), path);
  }

  /** Deletes the document, or the locales that the file has no longer. */
  function remove(change: DocumentChange): void {
    const { type, documentId, before, after } = change;
    if (!before) return;
    const service = storedDocuments(context)(type);
    if (!after) return attempt(change, () => service.deleteSync({ documentId, locale: "*" }));
    const defaultLocale = context.defaultLocale();
    const kept = new Set(localeStates(type, after, defaultLocale).map(({ locale }) => locale));
    for (const { locale } of localeStates(type, before, defaultLocale))
      if (!kept.has(locale)) attempt(change, () => service.deleteSync({ documentId, locale }));
  }

  yield* createAll(byTime(works, ({ draftTimes }) => draftTimes.createdAt).filter(({ before }) => !before));
  hasCreated = true;
  yield* each(works, (work) => write(work, firstDraft(work)));
  yield* each(
    byTime(works, ({ publishedTimes }) => publishedTimes?.publishedAt),
    (work) => publish(work),
  );
  hasPublished = true;
  yield* each(works, (work) => write(work, work.wanted.draft));
  yield* each(changes, (change) => remove(change));
  yield* each(works, ({ change, wanted, draft }) => {
    if (draft) listed.write(change.type, change.documentId, wanted);
  });
  yield* each(works, ({ change, wanted, before, draft }) => {
    if (draft) setTimes(context.storage, change, wanted, !before);
  });
  if (problems.length > 0) throw new ChangesRefusedError(problems);
  return { leftOut: [...leftOutByPath.values()], invalid };
}

const differsInPublication = ({ published, publishedTimes }: LocaleState, before: LocaleState | undefined): boolean =>
  published !== undefined &&
  (!same(published, before?.published) || publishedTimes?.publishedAt !== before?.publishedTimes?.publishedAt);

/** What the draft is before it is published, and changed again. */
const firstDraft = ({ wanted, isPublished }: LocaleWork): Json => (isPublished ? wanted.published! : wanted.draft);

/** The value that removes an attribute's. */
function emptied(type: ContentType, name: string): [string, unknown][] {
  const attribute = type.attributes.get(name);
  if (!attribute || attribute.system || !attribute.writable) return [];
  return [[name, attribute.kind !== "scalar" && attribute.many ? [] : null]];
}

/** Sorted by type, then by time: rows of one type are created in this order. What has no time is last, in the order of the files. */
const byTime = (works: readonly LocaleWork[], readTime: (wanted: LocaleState) => string | undefined): LocaleWork[] =>
  works.toSorted((a, b) => {
    const [left, right] = [readTime(a.wanted) ?? "~", readTime(b.wanted) ?? "~"];
    return left < right ? -1 : left > right ? 1 : 0;
  });
