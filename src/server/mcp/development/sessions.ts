/**
 * Sessions of agents: named sets of changes. The first change of a session keeps a copy of the database, uploads and `content/`; each change
 * keeps the files that it wrote. Undo restores them. Sessions are stored below `.galley/agents`, and survive a restart and a reload.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { tryParseJson } from "../../../lib/coerce.ts";
import { ApiError, applicationError } from "../../../lib/errors.ts";
import { inTurns, type WorkInTurns } from "../../../lib/in-turns.ts";
import { replaceFile } from "../../../lib/replace-file.ts";
import type { AgentSession } from "../../../ui/agents/agent-session.ts";
import { contentMark, keepDatabase } from "../../backup/database-copy.ts";
import {
  filesMark,
  keepContent,
  keepUploads,
  restoreKept,
  serveRestored,
  uploadsMark,
} from "../../backup/kept-files.ts";
import type { Project } from "../../project/project.ts";
import { agentsFolder } from "../../project/project-source.ts";
import { inTime } from "../tool.ts";
import {
  type ChangedFile,
  changedFiles,
  filesBefore,
  joinChanges,
  readEncoded,
  readProjectFiles,
} from "./project-files.ts";
import { changedRemoteFiles } from "./remote-files.ts";

const MAX_SESSIONS = 5;
const MAX_CHANGES = 200;
const FILE = "session.json";
const COPY = "database.db";
/** What has marks instead of bytes. */
const MARKS: Readonly<Record<string, (project: Project) => WorkInTurns<string>>> = {
  "the content": ({ context }) => contentMark(context.storage),
  "the uploaded files": uploadsMark,
  "the files of content/": filesMark,
};

interface Session {
  readonly id: number;
  readonly name: string;
  readonly startedAt: string;
  /** The tools that changed something, in order. */
  readonly changes: readonly string[];
  /** By path, and by the names of `MARKS`. */
  readonly changed: Readonly<Record<string, ChangedFile>>;
  /** Ended: further changes begin another one. */
  readonly hasEnded: boolean;
}

interface Undone {
  /** Names of sessions. */
  readonly undone: readonly string[];
  /** Files of upload providers that stay as they are. */
  readonly notRestored: readonly string[];
}

type Marks = Readonly<Record<string, string>>;

const changedMarks = (before: Marks, after = before): Session["changed"] =>
  Object.fromEntries(Object.keys(MARKS).map((name) => [name, { before: before[name]!, after: after[name]! }]));

/** The last change or undo of a project, by its folder: they run one after the other, also when the project is reloaded between. */
const running = new Map<string, Promise<unknown>>();

const filesOf = ({ changed }: Session) => Object.entries(changed).filter(([path]) => !Object.hasOwn(MARKS, path));

export class AgentSessions {
  readonly #project: Project;
  readonly #folder: string;

  constructor(project: Project) {
    this.#project = project;
    this.#folder = agentsFolder(project.root);
  }

  #path(id: number, name: string): string {
    return join(this.#folder, String(id), name);
  }

  #list(): Session[] {
    if (!existsSync(this.#folder)) return [];
    const ids = readdirSync(this.#folder).map(Number);
    const stored = ids.filter((id) => existsSync(this.#path(id, FILE))).sort((a, b) => a - b);
    return stored.flatMap((id) => {
      const session = tryParseJson(readFileSync(this.#path(id, FILE), "utf8"));
      // cut off by a power failure; the next session of this number removes it
      if (session === undefined) return [];
      // the id of an untrusted file could name another folder
      return { ...(session as Session), id };
    });
  }

  #save(session: Session): void {
    const write = (unfinished: string): void => writeFileSync(unfinished, JSON.stringify(session), { mode: 0o600 });
    replaceFile(this.#path(session.id, FILE), write);
  }

  async #remove({ id }: Pick<Session, "id">): Promise<void> {
    // a session is there as long as it can be undone
    rmSync(this.#path(id, FILE), { force: true });
    await rm(join(this.#folder, String(id)), { recursive: true, force: true });
  }

  async #marks(): Promise<Marks> {
    // what others have just changed in files is in the database, and the other way round
    await this.#project.reloader.contentSync?.()?.sync();
    const marks: Record<string, string> = {};
    for (const [name, read] of Object.entries(MARKS)) marks[name] = await inTurns(read(this.#project));
    return marks;
  }

  async #begin(name: string): Promise<Session> {
    const sessions = this.#list();
    for (const old of sessions.slice(0, Math.max(0, sessions.length + 1 - MAX_SESSIONS))) await this.#remove(old);
    const id = (sessions.at(-1)?.id ?? 0) + 1;
    const changed = changedMarks(await this.#marks());
    const session = { id, name, startedAt: new Date().toISOString(), changes: [], changed, hasEnded: false };
    const folder = join(this.#folder, String(id));
    // of a begin that was interrupted
    await this.#remove({ id });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await inTurns(keepContent(this.#project, folder));
    // before and after: the database may name files that were removed or added meanwhile
    await inTurns(keepUploads(this.#project, folder));
    await keepDatabase(this.#project.context.storage, this.#path(id, COPY));
    await inTurns(keepUploads(this.#project, folder));
    // a session is there once it can be undone
    this.#save(session);
    return session;
  }

  #queued<T>(work: () => Promise<T>): Promise<T> {
    const { root } = this.#project;
    const result = (running.get(root) ?? Promise.resolve()).then(work);
    running.set(
      root,
      result.catch(() => {}),
    );
    return result;
  }

  /** Throws an ApplicationError where changes cannot be undone, so that they are not made. */
  #expectFiles(): void {
    if (this.#project.reloader.reload) return;
    throw applicationError(
      "Nothing can be changed here: the project is an archive, in memory, or served by several processes",
    );
  }

  async list(): Promise<AgentSession[]> {
    const marks = await this.#marks();
    const sessions = this.#list();
    return sessions.map((session, index) => {
      const { id, name, startedAt, changes } = session;
      const files = filesOf(session).map(([path]) => path);
      const others = this.#changedByOthers(sessions.slice(index), marks);
      return { id, name, startedAt, changes, files, others, notRestored: this.#notRestored(session) };
    });
  }

  /** Further changes belong to a session of this name. */
  begin(name: string): Promise<void> {
    this.#expectFiles();
    return this.#queued(async () => {
      const last = this.#list().at(-1);
      if (last) this.#save({ ...last, hasEnded: true });
      await this.#begin(name);
    });
  }

  /**
   * Runs `work`, whose changes belong to the session, after earlier changes; not if `signal` was aborted until then, since nobody would learn
   * of it. Throws an ApplicationError if it takes longer than a call may.
   */
  record<T>(change: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.#expectFiles();
    return this.#queued(async () => {
      signal.throwIfAborted();
      const { root } = this.#project;
      const last = this.#list().at(-1);
      const session = last && !last.hasEnded ? last : await this.#begin("agent");
      const before = readProjectFiles(root);
      const marks = await this.#marks();
      try {
        return await inTime(change, this.#project.settings.server.mcp.timeoutMs, work);
      } finally {
        const after = await this.#marks();
        const changed = joinChanges([
          ...Object.entries(session.changed),
          ...changedFiles(before, readProjectFiles(root)),
          ...Object.entries(changedMarks(marks, after)),
        ]);
        const changes = [...session.changes, change].slice(-MAX_CHANGES);
        this.#save({ ...session, changes, changed: Object.fromEntries(changed) });
      }
    });
  }

  /**
   * Restores the database and the files from before the session of this name or number, which undoes later ones, too. Throws an
   * ApplicationError if others have changed something since, unless `discardsOthers`.
   */
  undo(which: string | number | undefined, discardsOthers: boolean): Promise<Undone> {
    this.#expectFiles();
    return this.#queued(async () => {
      const sessions = this.#list();
      const first =
        which === undefined ? sessions.at(-1) : sessions.findLast(({ id, name }) => which === id || which === name);
      if (!first)
        throw new ApiError("NotFoundError", "There is no such session: session_list names those that can be undone");
      const undone = sessions.filter(({ id }) => id >= first.id);
      const marks = await this.#marks();
      return serveRestored(this.#project, async () => {
        if (!discardsOthers) this.#expectUnchanged(undone, marks);
        const notRestored = this.#notRestored(first);
        const kept = join(this.#folder, String(first.id));
        restoreKept(this.#project, kept, this.#path(first.id, COPY), filesBefore(undone.flatMap(filesOf)));
        for (const session of undone) await this.#remove(session);
        return { undone: undone.map((session) => session.name), notRestored };
      });
    });
  }

  #changedByOthers(undone: readonly Session[], marks: Marks): readonly string[] {
    const read = (path: string) => (Object.hasOwn(MARKS, path) ? marks[path]! : readEncoded(this.#project.root, path));
    const joined = [...joinChanges(undone.flatMap(({ changed }) => Object.entries(changed)))];
    return joined.filter(([path, { after }]) => after !== read(path)).map(([path]) => path);
  }

  #notRestored({ id }: Session): string[] {
    return changedRemoteFiles(this.#project, this.#path(id, COPY));
  }

  #expectUnchanged(undone: readonly Session[], marks: Marks): void {
    const others = this.#changedByOthers(undone, marks);
    if (others.length === 0) return;
    throw applicationError(
      `Others may have changed ${others.join(", ")} since: ask the user, and pass discardOthers to lose that`,
    );
  }
}
