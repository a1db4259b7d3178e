/**
 * The change feed: what has changed since a token, of what a caller may list. The answer depends on own writes of listed documents only:
 * neither other types, nor other versions, nor links that others have to them change it.
 */
import { contentRoutes } from "../../api/actions.ts";
import type { Ability } from "../../engine/access/access.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { namedInTags } from "../../engine/query/named-in-tags.ts";
import type { CanRead } from "../../engine/query/tree.ts";
import { FILE, LOCALE, ROLE, USER } from "../../engine/schema/builtin/index.ts";
import { changeLog, enableChangeLog, isEnabled } from "../../engine/storage/change-log/change-log.ts";
import { currentEpoch, isOfEpoch } from "../../engine/storage/change-log/epochs.ts";
import {
  type Cursor,
  compactedSequence,
  everyVersion,
  type ListedVersion,
  ownChanges,
  type Scope,
} from "../../engine/storage/change-log/own-changes.ts";
import { staleSince } from "../../engine/storage/change-log/stale-tags.ts";
import { compactPart, isCompact, tendLog } from "../../engine/storage/change-log/upkeep.ts";
import { databaseBusy } from "../../engine/storage/problems.ts";
import type { Budget } from "../../lib/budget.ts";
import { ApiError, forbidden } from "../../lib/errors.ts";
import type { Project } from "../project/project.ts";
import { addDocuments, checkSelections, type FeedEntry } from "./changed-documents.ts";
import type { FeedParams } from "./params.ts";
import { type Position, readToken, writeToken } from "./token.ts";

interface ListedType {
  readonly uid: string;
  /** The action that lists its documents. */
  readonly action: string;
  /** Where REST lists them, below the prefix. */
  readonly path: string;
}

const PLUGIN_TYPES: readonly ListedType[] = [
  { uid: FILE, action: "plugin::upload.content-api.find", path: "/upload/files" },
  { uid: LOCALE, action: "plugin::i18n.locales.listLocales", path: "/i18n/locales" },
  { uid: ROLE, action: "plugin::users-permissions.role.find", path: "/users-permissions/roles" },
  { uid: USER, action: "plugin::users-permissions.user.find", path: "/users" },
];

/**
 * For a caller. What own code does in reads of a type cannot be applied to a list of its changes, so that such a type is not listed: its
 * policies may refuse single documents.
 */
function createListedTypes({ model, settings, code }: Project): (ability: Ability) => ReadonlySet<string> {
  const ofApi = contentRoutes(model).flatMap(({ type, action, path }): ListedType[] =>
    action === `${type.uid}.find` && (!code || code.servesCore(action)) ? [{ uid: type.uid, action, path }] : [],
  );
  const all = [...ofApi, ...PLUGIN_TYPES];
  return (ability) => {
    const isListed = ({ uid, action, path }: ListedType): boolean =>
      ability.can(action) && (!code || code.leavesReads(uid, settings.rest.prefix + path));
    return new Set(all.filter(isListed).map(({ uid }) => uid));
  };
}

export interface FeedPage {
  /** To be sent as `since` with the next request. */
  readonly token: string;
  readonly hasMore: boolean;
  /** Uids of the types whose changes are listed. */
  readonly types: readonly string[];
  readonly changes: readonly FeedEntry[];
  /** Cache tags that became stale since the token; undefined without one. */
  readonly tags?: readonly string[];
}

export interface FeedAnswer {
  readonly page: FeedPage;
  /** Of the content that it was read from. */
  readonly version: string;
}

/** Of more, it is only told that there are any. Nearly all entries are compacted before. */
const BOUNDS = { entries: 20_000, tags: 10_000 };
/** How long a request waits for the lock of the database. */
const LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 20;

const reasons = {
  otherDatabase: "The token is of another database, or of a state that a restored copy does not have",
  forgotten: "The token is older than the change log, or a content-type was replaced as a whole since",
  otherScope: "The token is of other permissions, content-types or another status",
} as const;

const gone = (reason: keyof typeof reasons): ApiError =>
  new ApiError("GoneError", `${reasons[reason]}: ask again with full=1`, { reason });

/** One step; returns whether it was made, or another process holds the lock. */
function prepareStep({ storage, clock }: DocumentsContext): boolean {
  if (!isEnabled(storage)) return storage.tryTransaction(() => enableChangeLog(storage));
  return compactPart(storage, clock) !== "locked";
}

/**
 * Enables the log with the first request: before, there is no state that a token could name. Compacts it, and resolves with the version of
 * the content until which it is compacted. Throws ServiceUnavailableError if another process holds the lock for long.
 */
async function prepareLog(context: DocumentsContext): Promise<string> {
  const { storage, clock } = context;
  tendLog(storage, clock);
  const until = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const version = storage.version();
    if (isEnabled(storage) && isCompact(storage)) return version;
    const isDone = prepareStep(context);
    if (!isDone && performance.now() > until) throw databaseBusy();
    await Bun.sleep(isDone ? 0 : LOCK_RETRY_MS);
  }
}

const hashScope = (types: ReadonlySet<string>, status: string): string =>
  Bun.hash(JSON.stringify([status, ...[...types].sort()]))
    .toString(16)
    .padStart(16, "0");

interface Found {
  readonly versions: readonly ListedVersion[];
  readonly position: Position;
  readonly hasMore: boolean;
  readonly tags?: readonly string[];
}

export class Feed {
  readonly #project: Project;
  readonly #listTypes: (ability: Ability) => ReadonlySet<string>;

  constructor(project: Project) {
    this.#project = project;
    this.#listTypes = createListedTypes(project);
  }

  /** Throws GoneError for a token that does not apply, ForbiddenError for a caller who may list nothing, and what a request for documents throws. */
  async answer(params: FeedParams, ability: Ability, budget: Budget): Promise<FeedAnswer> {
    const { context } = this.#project;
    const { storage } = context;
    const { since, selections, status, limit } = params;
    const types = this.#listTypes(ability);
    // who may list nothing enables no log
    if (types.size === 0) throw forbidden();
    if (selections) checkSelections(this.#project, selections, types);
    const version = await prepareLog(context);
    storage.hold();
    const { key } = changeLog(storage)!;
    const scope: Scope = { types, status, limit };
    const now = { epoch: currentEpoch(storage), scope: hashScope(types, status), cursor: undefined };
    const found =
      since === undefined
        ? this.#begin(scope, { ...now, sequence: compactedSequence(storage) }, params.isFull)
        : this.#continue(scope, now, readToken(key, since), ability.canRead);
    const caller = { canRead: ability.canRead, budget };
    const changes = selections ? await addDocuments(this.#project, found.versions, selections, caller) : found.versions;
    const token = writeToken(key, found.position);
    const { hasMore, tags } = found;
    const page = { token, hasMore, types: [...types].sort(), changes, ...(tags && { tags }) };
    return { page, version };
  }

  #begin(scope: Scope, position: Position, isFull: boolean): Found {
    if (!isFull) return { versions: [], position, hasMore: false };
    return this.#listAll(scope, position, { table: 0, row: 0 });
  }

  #listAll(scope: Scope, position: Position, from: Cursor): Found {
    const { versions, next } = everyVersion(this.#project.context.storage, scope, from);
    // changes since the beginning of the list follow it
    return { versions, position: { ...position, cursor: next }, hasMore: next !== undefined };
  }

  #continue(scope: Scope, now: Omit<Position, "sequence">, since: Position | undefined, canRead: CanRead): Found {
    const { storage } = this.#project.context;
    if (!since || !isOfEpoch(storage, since.epoch, since.sequence)) throw gone("otherDatabase");
    if (since.scope !== now.scope) throw gone("otherScope");
    if (since.cursor) return this.#listAll(scope, since, since.cursor);
    const page = ownChanges(storage, scope, since.sequence);
    if (!page) throw gone("forgotten");
    const { versions, sequence, hasMore } = page;
    const tags = this.#tagsSince(since.sequence, scope, canRead);
    return { versions, position: { ...now, sequence }, hasMore, ...(tags && { tags }) };
  }

  /** Of what is listed, so that they tell nothing about other types, versions and attributes. */
  #tagsSince(sequence: number, { types, status }: Scope, canRead: CanRead): readonly string[] | undefined {
    const { context, settings, model } = this.#project;
    if (settings.galley.cacheTags === false) return undefined;
    const named = { mayList: (uid: string) => types.has(uid), isNamed: namedInTags(model, canRead), status };
    return staleSince(context.storage, sequence, named, BOUNDS);
  }
}
