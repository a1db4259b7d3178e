/** What the admin page knows of the files below `content/`, and does with them. */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { findMainField } from "../../admin/content-manager/main-field.ts";
import { recordMissingVersions } from "../../admin/content-manager/snapshot.ts";
import { listLocales } from "../../admin/i18n/locales.ts";
import { contentType } from "../../engine/schema/model.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { applicationError, notFound } from "../../lib/errors.ts";
import { GitError } from "../../lib/git.ts";
import type {
  ContentChanges as Changes,
  ChangesSummary,
  Conflict,
  FileProblem,
  GitChanges,
  Place,
  UncommittedDocument,
} from "../../ui/content-changes/answers.ts";
import { ContentFolder } from "../content-sync/folder.ts";
import { gitActivity } from "../content-sync/git.ts";
import type { FileProblem as SyncProblem } from "../content-sync/problems.ts";
import { SyncState } from "../content-sync/state.ts";
import type { Project } from "../project/project.ts";
import type { RunningContentSync } from "../project/reloader.ts";
import { findRepository, type Repository } from "./repository.ts";
import { uncommittedIn } from "./uncommitted.ts";

/** For this long in milliseconds, git is not asked again unless something is known to have changed. */
const MAX_AGE_MS = 5_000;
const MAX_PROBLEMS = 100;

interface GitAnswer {
  readonly git?: GitChanges;
  readonly gitProblem?: string;
}

export class ContentChanges {
  readonly #project: Project;
  readonly #folder: ContentFolder;
  readonly #state: SyncState;
  #repository: Repository | undefined;
  /** Problems and warnings, which have changed as often as `#revision` says. */
  #known: readonly unknown[] = [undefined, undefined];
  #revision = 0;
  #asked: { readonly version: string; readonly at: number; readonly answer: Promise<GitAnswer> } | undefined;

  constructor(project: Project) {
    this.#project = project;
    this.#folder = new ContentFolder(join(project.root, "content"));
    this.#state = new SyncState(project.context.storage);
  }

  /** Undefined while nothing is synchronised. */
  get #sync(): RunningContentSync | undefined {
    return this.#project.reloader.contentSync?.();
  }

  get #writes(): boolean {
    const { reloader, isReadOnly } = this.#project;
    return reloader.reload !== undefined && !isReadOnly;
  }

  /** Differs when problems, or the commit that files are compared with, may have changed. */
  get version(): string {
    const { problems, warnings } = this.#sync ?? {};
    if (!Bun.deepEquals([problems, warnings], this.#known)) {
      this.#known = [problems, warnings];
      this.#revision++;
    }
    return `${this.#revision} ${this.#repository?.version ?? ""}`;
  }

  async all(): Promise<Changes> {
    const sync = this.#sync;
    return {
      writes: this.#writes,
      waitsFor: gitActivity(this.#folder.path),
      problems: this.#shown(sync?.problems ?? []),
      warnings: this.#shown(sync?.warnings ?? []),
      conflicts: this.#conflicts(),
      ...(await this.#git()),
    };
  }

  async summary(): Promise<ChangesSummary> {
    const { git } = await this.#git();
    return {
      problems: this.#shown(this.#sync?.problems ?? []),
      conflicts: this.#conflicts(),
      uncommitted: git?.total,
    };
  }

  #shown(problems: readonly SyncProblem[]): FileProblem[] {
    const first = problems.slice(0, MAX_PROBLEMS);
    const known = this.#state.exists ? this.#state.files(first.map(({ file }) => file)) : new Map();
    return first.map((problem) => {
      const { uid, documentId } = known.get(problem.file) ?? {};
      return { ...problem, uid, documentId };
    });
  }

  #conflicts(): Conflict[] {
    if (!this.#state.exists) return [];
    return [...this.#state.withConflicts().values()].flatMap(({ path, uid, documentId, stored, conflicts }) => {
      const type = this.#project.model.types.get(uid);
      if (!type) return [];
      const title = stored[findMainField(type)];
      return {
        file: path,
        uid,
        documentId,
        title: stringOrNone(title),
        attributes: conflicts.map(placeOf),
      };
    });
  }

  #git(): Promise<GitAnswer> {
    const version = `${this.#project.context.storage.version()} ${this.version}`;
    const { version: askedVersion, at = 0, answer } = this.#asked ?? {};
    if (answer && version === askedVersion && performance.now() - at < MAX_AGE_MS) return answer;
    const asked = this.#askGit();
    this.#asked = { version, at: performance.now(), answer: asked };
    return asked;
  }

  async #askGit(): Promise<GitAnswer> {
    try {
      if (!this.#repository?.hasCommits) this.#repository = await findRepository(this.#folder.path);
      const repository = this.#repository;
      if (!repository) return {};
      const { model } = this.#project;
      return { git: await uncommittedIn({ model, folder: this.#folder, state: this.#state, repository }) };
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return { gitProblem: error.message };
    }
  }

  /**
   * Makes a document what it is in the last commit; its state is in its history before. Resolves with whether that is served now.
   * Rejects with a NotFoundError for a path of no changed document, and an ApplicationError if git fails.
   */
  async discard(path: string): Promise<boolean> {
    const sync = this.#sync;
    if (!sync || !this.#writes) throw applicationError("The files of this project are only read");
    // what was saved just now is in its file first
    await sync.sync();
    this.#asked = undefined;
    const { git, gitProblem } = await this.#git();
    const change = git?.documents.find((document) => document.path === path);
    if (!change) throw gitProblem === undefined ? notFound() : applicationError(gitProblem);
    if (!git?.hasCommits) throw applicationError("Nothing is committed yet");
    await this.#recordVersions(change);
    try {
      await this.#restore(change);
    } catch (error) {
      throw error instanceof GitError ? applicationError(error.message) : error;
    } finally {
      this.#asked = undefined;
    }
    const result = await sync.sync();
    return result !== undefined && result.problems.length === 0 && result.waitsFor === undefined;
  }

  async #recordVersions({ uid, documentId, kind }: UncommittedDocument): Promise<void> {
    if (documentId === undefined || kind === "removed") return;
    const { context, model } = this.#project;
    const type = contentType(model, uid);
    const locales = type.localized ? listLocales(context).map(({ code }) => code as string) : [null];
    for (const locale of locales) await recordMissingVersions(context, type, [documentId], locale);
  }

  async #restore({ path, formerPath, kind }: UncommittedDocument): Promise<void> {
    const repository = this.#repository!;
    const committed = kind === "added" ? undefined : (formerPath ?? path);
    const bytes = committed === undefined ? undefined : await repository.checkedOut(committed);
    if (committed !== undefined) this.#checkPlace(committed, path);
    for (const changed of new Set([path, committed ?? path])) await repository.unstage(changed);
    if (committed !== undefined && bytes) {
      this.#folder.write(committed, bytes);
    }
    if (path !== committed) this.#folder.remove(path);
  }

  /** Throws an ApplicationError for a folder that leads elsewhere, and for the path of another document. */
  #checkPlace(path: string, current: string): void {
    const folder = dirname(path);
    const parent = lstatSync(join(this.#folder.path, folder), { throwIfNoEntry: false });
    if (folder !== "." && parent && !parent.isDirectory()) throw applicationError(`content/${folder} is not a folder`);
    if (path !== current && this.#folder.stamp(path))
      throw applicationError(`content/${path} is the file of another document now`);
  }

  /** Dismisses the notice that a file's values were taken. Rejects with a NotFoundError if there is none. */
  async resolve(uid: string, documentId: string): Promise<void> {
    const isOpen = this.#conflicts().some((conflict) => conflict.uid === uid && conflict.documentId === documentId);
    if (!isOpen) throw notFound();
    await this.#project.context.storage.write(() => this.#state.resolveConflicts(uid, documentId));
  }
}

/** The parts of a path that was formatted with `formatPath`. */
function placeOf(text: string): Place {
  const parts = text.match(/"(?:[^"\\]|\\.)*"|[^.[\]"]+/g) ?? [];
  return parts.map((part) =>
    part.startsWith('"') ? (JSON.parse(part) as string) : /^\d+$/.test(part) ? Number(part) : part,
  );
}
