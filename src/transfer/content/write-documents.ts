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
import { apiProblems, type ChangeProblem, ChangesRefusedError, type DocumentChange } from "./document-change.ts";
import { lenientContext } from "./lenient-rows.ts";
import { ContentProblem, createLinkInput, type LinkTarget, type LinkTargets } from "./link-input.ts";
import { type LocaleState, localeStates } from "./version-states.ts";
import { ListedLinks } from "./write-listed-links.ts";
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

/** The key of a document. */
const buildKey = ({ uid, documentId }: LinkTarget): string => `${uid} ${documentId}`;

const toTarget = ({ type, documentId }: DocumentChange): LinkTarget => ({ uid: type.uid, documentId });

export interface WriteResult {
  /** Keys of files that are not attributes, by change. They are ignored. */
  readonly unknownKeys: readonly ChangeProblem[];
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

/**
 * Writes changes inside a transaction: all documents first, then what links them, then what is published, so that documents may link
 * to each other. Throws a ChangesRefusedError with all problems; the caller's transaction is to be rolled back then.
 */
export function* writeDocuments(
  context: DocumentsContext,
  changes: readonly DocumentChange[],
  targets: LinkTargets,
  hashes: Hashes,
): WorkInTurns<WriteResult> {
  const writer = new DocumentsWriter(context, changes, targets, hashes);
  yield* writer.run();
  return { unknownKeys: writer.unknownKeys, invalid: writer.invalid };
}

function* each<T>(items: readonly T[], work: (item: T) => void): WorkInTurns<void> {
  for (const item of items) {
    work(item);
    yield;
  }
}

class DocumentsWriter {
  readonly #context: DocumentsContext;
  readonly #changes: readonly DocumentChange[];
  readonly #hashes: Hashes;
  readonly #links: LinkTargets;
  readonly #listed: ListedLinks;
  #hasCreated = false;
  #hasPublished = false;
  /** New documents without a row. */
  readonly #missing: Set<string>;
  readonly #problems: ChangeProblem[] = [];
  readonly invalid: ChangeProblem[] = [];
  /** Files state the values of every locale, and some differ in what locales should share. */
  readonly #separate: DocumentsContext;
  /** For new documents that were stored before. */
  readonly #lenient: DocumentsContext;
  /** What is being written. */
  #change: DocumentChange | undefined;
  /** Its version that is being written. */
  #path: ChangeProblem["path"] = [];
  /** Changes with a problem, whose further steps would only repeat it. */
  readonly #failed = new Set<DocumentChange>();
  readonly #unknownKeys = new Map<string, ChangeProblem>();

  constructor(context: DocumentsContext, changes: readonly DocumentChange[], links: LinkTargets, hashes: Hashes) {
    this.#context = context;
    this.#changes = changes;
    this.#separate = { ...context, separatesLocales: true };
    this.#lenient = lenientContext(this.#separate, (error) =>
      this.invalid.push(...apiProblems(this.#change!, this.#path, error)),
    );
    this.#links = links;
    this.#listed = new ListedLinks(context, links);
    this.#hashes = hashes;
    this.#missing = new Set(changes.filter(({ before }) => !before).map((change) => buildKey(toTarget(change))));
  }

  get unknownKeys(): ChangeProblem[] {
    return [...this.#unknownKeys.values()];
  }

  *run(): WorkInTurns<void> {
    const works = this.#changes.flatMap((change) => this.#listLocales(change));
    yield* this.#createAll(byTime(works, ({ draftTimes }) => draftTimes.createdAt).filter(({ before }) => !before));
    this.#hasCreated = true;
    yield* each(works, (work) => this.#write(work, firstDraft(work)));
    yield* each(
      byTime(works, ({ publishedTimes }) => publishedTimes?.publishedAt),
      (work) => this.#publish(work),
    );
    this.#hasPublished = true;
    yield* each(works, (work) => this.#write(work, work.wanted.draft));
    yield* each(this.#changes, (change) => this.#remove(change));
    yield* each(works, ({ change, wanted, draft }) => {
      if (draft) this.#listed.write(change.type, change.documentId, wanted);
    });
    yield* each(works, ({ change, wanted, before, draft }) => {
      if (draft) setTimes(this.#context.storage, change, wanted, !before);
    });
    if (this.#problems.length > 0) throw new ChangesRefusedError(this.#problems);
  }

  #listLocales(change: DocumentChange): LocaleWork[] {
    const { type, before, after } = change;
    if (!after) return [];
    const defaultLocale = this.#context.defaultLocale();
    const wasStored = !before && after.$id !== undefined && after.$createdAt !== undefined;
    const service = storedDocuments(wasStored ? this.#lenient : this.#separate)(type);
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
  #attempt(change: DocumentChange, work: () => void, path: ChangeProblem["path"] = []): void {
    if (this.#failed.has(change)) return;
    this.#change = change;
    this.#path = path;
    try {
      work();
    } catch (error) {
      this.#failed.add(change);
      if (error instanceof ContentProblem) this.#problems.push({ change, path: error.path, reason: error.message });
      else if (error instanceof ApiError) this.#problems.push(...apiProblems(change, path, error));
      else throw error;
    }
  }

  /** Input for the service, without attributes that cannot be written yet. */
  #input({ change, wanted }: LocaleWork, attributes: Json): Data {
    const path = this.#findPath(change, wanted);
    const readInput = createLinkInput(
      this.#context.model,
      this.#links,
      (at, { uid, attributes: known }) =>
        this.#unknownKeys.set(JSON.stringify([change.documentId, at]), {
          change,
          path: at,
          reason: known.has(String(at.at(-1))) ? "cannot be written" : `${uid} has no such attribute`,
        }),
      change.type.localized ? (target, locale) => this.#findRow(change, target, locale) : undefined,
    );
    const data: Data = {};
    for (const [name, value] of Object.entries(attributes)) {
      let isComplete = true;
      const read = readInput(change.type, { [name]: value }, path, (link) => {
        // a link to one version gets the other one when that is published for the first time
        const isEarly =
          (link.status !== undefined && !this.#hasPublished) || (link.locale !== undefined && !this.#hasCreated);
        const canWrite = !(link.isAbsent || this.#missing.has(buildKey(link)) || isEarly);
        isComplete &&= canWrite;
        return canWrite;
      });
      if (isComplete) Object.assign(data, read);
    }
    return data;
  }

  /** The row of a target, in the version that the owner's draft links. */
  #findRow({ type }: DocumentChange, { uid, documentId }: LinkTarget, locale: string): number | undefined {
    const target = contentType(this.#context.model, uid);
    const status = target.draftAndPublish && type.draftAndPublish ? "draft" : "published";
    return this.#context.storage.first(
      `SELECT id FROM ${quote(target.table)} WHERE document_id = ? AND locale = ? AND status = ?`,
      [documentId, locale, status],
    )?.[0] as number | undefined;
  }

  #findPath({ type, after }: DocumentChange, { locale }: LocaleState): string[] {
    const first = type.localized ? (after?.$locale ?? this.#context.defaultLocale()) : null;
    return locale === null || locale === first ? [] : ["$locales", locale];
  }

  /** Creates rows; those whose required links lead to later ones come after these, unless they require each other. */
  *#createAll(works: readonly LocaleWork[]): WorkInTurns<void> {
    let waiting = works;
    for (let isLast = false; waiting.length > 0; ) {
      const left: LocaleWork[] = [];
      yield* each(waiting, (work) => {
        if (!this.#create(work, isLast)) left.push(work);
      });
      isLast = left.length === waiting.length;
      waiting = left;
    }
  }

  /** Creates the row of a new locale, without links to documents that have none yet. False: it should be created later. */
  #create(work: LocaleWork, isLast: boolean): boolean {
    const { change, service, wanted } = work;
    const { documentId, type } = change;
    const { locale } = wanted;
    const attributes = firstDraft(work);
    let isDone = true;
    this.#attempt(
      change,
      () => {
        const data = this.#input(work, attributes);
        const isMissing = (name: string): boolean => type.attributes.get(name)?.required === true && !(name in data);
        isDone = isLast || !Object.keys(attributes).some(isMissing);
        if (!isDone) return;
        const key = buildKey(toTarget(change));
        if (this.#missing.has(key)) service.createSync({ data, locale }, this.#hashes, documentId);
        else service.updateSync({ documentId, data, locale }, this.#hashes);
        this.#missing.delete(key);
        work.draft = pickBy(attributes, (_, name) => name in data);
      },
      this.#findPath(change, wanted),
    );
    return isDone;
  }

  /** Brings the draft, or the only version, to the attributes. */
  #write(work: LocaleWork, attributes: Json): void {
    const { change, service, wanted, draft } = work;
    if (!draft) return;
    const changed = Object.keys({ ...draft, ...attributes }).filter((name) => !same(draft[name], attributes[name]));
    if (changed.length === 0) return;
    const { documentId } = change;
    const { locale } = wanted;
    this.#attempt(
      change,
      () => {
        const removed = changed.filter((name) => attributes[name] === undefined);
        const kept = changed.filter((name) => attributes[name] !== undefined);
        const data = {
          ...Object.fromEntries(removed.flatMap((name) => emptied(change.type, name))),
          ...this.#input(work, Object.fromEntries(kept.map((name) => [name, attributes[name]]))),
        };
        if (Object.keys(data).length > 0) service.updateSync({ documentId, data, locale }, this.#hashes);
        const left = kept.filter((name) => !(name in data)).map((name) => [name, draft[name]]);
        work.draft = { ...attributes, ...Object.fromEntries(left) };
      },
      this.#findPath(change, wanted),
    );
  }

  #publish({ change, service, wanted, before, draft, isPublished }: LocaleWork): void {
    if (!draft) return;
    const version = { documentId: change.documentId, locale: wanted.locale };
    const path = this.#findPath(change, wanted);
    if (isPublished) this.#attempt(change, () => service.publishSync(version), path);
    else if (before?.published && !wanted.published) this.#attempt(change, () => service.unpublishSync(version), path);
  }

  /** Deletes the document, or the locales that the file has no longer. */
  #remove(change: DocumentChange): void {
    const { type, documentId, before, after } = change;
    if (!before) return;
    const service = storedDocuments(this.#context)(type);
    if (!after) return this.#attempt(change, () => service.deleteSync({ documentId, locale: "*" }));
    const defaultLocale = this.#context.defaultLocale();
    const kept = new Set(localeStates(type, after, defaultLocale).map(({ locale }) => locale));
    for (const { locale } of localeStates(type, before, defaultLocale))
      if (!kept.has(locale)) this.#attempt(change, () => service.deleteSync({ documentId, locale }));
  }
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
