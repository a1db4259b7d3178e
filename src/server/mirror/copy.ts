/**
 * The copy of an origin's content. A refresh reads what has changed into the kept rows and makes another database of them, which
 * replaces the earlier one between two requests, so that its rows are always those of the origin, with their ids.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { contentActions } from "../../engine/access/action-names.ts";
import type { Settings } from "../../engine/config/settings.ts";
import type { RawSchema } from "../../engine/schema/definition.ts";
import { type ContentType, contentType, type Model } from "../../engine/schema/model.ts";
import { FileLock } from "../../engine/storage/file-lock.ts";
import { ProjectError } from "../../lib/errors.ts";
import type { Progress } from "../../lib/progress.ts";
import { writeArchive } from "../../transfer/export/archive-writer.ts";
import { rawSchema } from "../../transfer/import/raw-schema.ts";
import type { RestClient } from "../../transfer/remote/rest/client.ts";
import { typeOfList } from "../../transfer/remote/rest/kept-documents.ts";
import { KeptRows } from "../../transfer/remote/rest/kept-rows.ts";
import { pullOverRest, type RestPullResult } from "../../transfer/remote/rest/pull.ts";
import { readSchemas } from "../../transfer/remote/rest/read-schemas.ts";
import { Selection } from "../../transfer/selection.ts";
import { openProject } from "../project/project.ts";
import { createModel, hash, type ProjectSource } from "../project/project-source.ts";
import { type GenerationOptions, Generations } from "../published/generations.ts";
import type { LoadTask, PublishedContent } from "../published/load.ts";
import { type MirrorState, readProject, readState, writeProject, writeState } from "./mirrored-project.ts";
import { answersAlike, hasGraphql, readLimits } from "./origin.ts";

export interface CopyOptions extends GenerationOptions {
  /** The folder of the mirror. */
  readonly folder: string;
  readonly client: RestClient;
  /** Part of what the copy depends on. */
  readonly token: string;
  /** The settings of the origin's project, or the defaults. */
  readonly settings: Settings;
  /** The schemas of the origin's project; those that the origin shows to the token by default. */
  readonly schema: RawSchema | undefined;
  /** Forget what an earlier mirror has copied, and what was written there. */
  readonly resets?: boolean;
  readonly load: (task: LoadTask, stop: AbortSignal) => Promise<PublishedContent>;
  readonly report: (line: string) => void;
  readonly progress?: Progress;
}

/** After this time everything is read again, as changes without a later time are not noticed. */
const FULL_READ_MS = 86_400_000;
const LOCK = "lock";
/** Media files are passed on when they are requested. */
const SELECTION = new Selection({ exclude: ["files"] });

function listActions(model: Model, { foundTypes, lists }: RestPullResult): string[] {
  const reads = foundTypes.flatMap((uid) =>
    contentActions(contentType(model, uid))
      .filter((name) => name === "find" || name === "findOne")
      .map((name) => `${uid}.${name}`),
  );
  return [
    ...reads,
    ...(lists.files ? ["find", "findPage", "findOne"].map((name) => `plugin::upload.content-api.${name}`) : []),
    ...(lists.locales ? ["plugin::i18n.locales.listLocales"] : []),
  ];
}

export class MirrorCopy {
  readonly #options: CopyOptions;
  readonly #lock: FileLock;
  readonly #stop = new AbortController();
  #state: MirrorState | undefined;
  #generations: Generations | undefined;

  private constructor(options: CopyOptions, lock: FileLock) {
    this.#options = options;
    this.#lock = lock;
  }

  /** Opens the copy of an earlier process, if there is one. Rejects with a ProjectError, such as if another process uses it. */
  static async open(options: CopyOptions): Promise<MirrorCopy> {
    const { folder } = options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = FileLock.acquire(join(folder, LOCK));
    if (!lock) throw new ProjectError(folder, undefined, "is used by another mirror of the same server");
    if (options.resets)
      for (const name of readdirSync(folder))
        if (name !== LOCK) rmSync(join(folder, name), { recursive: true, force: true });
    const copy = new MirrorCopy(options, lock);
    await copy.#openEarlier();
    return copy;
  }

  async #openEarlier(): Promise<void> {
    const { folder, environment } = this.#options;
    const state = readState(folder);
    for (const name of readdirSync(folder))
      if (/^(copy|pull)-/.test(name) && name !== state?.copy)
        rmSync(join(folder, name), { recursive: true, force: true });
    if (!state || !existsSync(join(folder, state.copy))) return;
    const copyFolder = join(folder, state.copy);
    const source = readProject(copyFolder, environment);
    // another version of Galley may have made the tables
    await openProject(copyFolder, { ...this.#options, memory: false, source: () => source }).close();
    this.#generations = new Generations({ folder: copyFolder, source }, this.#options);
    this.#state = state;
  }

  get state(): MirrorState | undefined {
    return this.#state;
  }

  /** Undefined until the first refresh has succeeded. */
  get generations(): Generations | undefined {
    return this.#generations;
  }

  /** The folder of the project that is served. */
  get folder(): string | undefined {
    return this.#state && join(this.#options.folder, this.#state.copy);
  }

  /** Rejects with a ProjectError if the origin does not answer; what was read until then is kept. */
  async refresh(): Promise<void> {
    const { folder, client, token } = this.#options;
    client.renewLimits();
    const now = Date.now();
    const isFull = !this.#state || now - this.#state.readAt > FULL_READ_MS;
    const source = await this.#source(isFull);
    const scope = hash([source.schema, createHash("sha256").update(token).digest("hex")]);
    const kept = new KeptRows(join(folder, "rows.db"), scope);
    const temporaryFolder = join(folder, `pull-${process.pid}`);
    mkdirSync(temporaryFolder, { recursive: true, mode: 0o700 });
    try {
      // an incomplete first read goes on
      if (isFull && this.#state) kept.clear();
      const file = join(temporaryFolder, "content.tar");
      const model = createModel(source);
      const result = await this.#pull(file, { client, model, schema: source.schema, kept, temporaryFolder });
      if (result.isWritten || !this.#state) {
        const changed = new Set([...kept.changedLists].map(typeOfList));
        await this.#replace(file, source, model, result, isFull || changed.size === 0 ? undefined : changed);
      }
      kept.settle();
      this.#setState({ ...this.#state!, checkedAt: now, ...(isFull ? { readAt: now } : {}) });
    } finally {
      kept.close();
      rmSync(temporaryFolder, { recursive: true, force: true });
    }
  }

  #setState(state: MirrorState): void {
    this.#state = state;
    writeState(this.#options.folder, state);
  }

  async #source(isFull: boolean): Promise<ProjectSource> {
    const { settings, schema, client, environment } = this.#options;
    if (schema) return { settings, schema };
    if (!isFull) return { settings, schema: readProject(this.folder!, environment).schema };
    return { settings, schema: rawSchema(await readSchemas(client)) };
  }

  #pull(file: string, options: Omit<Parameters<typeof pullOverRest>[1], "since" | "selection">) {
    const { progress } = this.#options;
    return writeArchive({ file }, (writer) =>
      pullOverRest(writer, { ...options, since: undefined, selection: SELECTION, ...(progress && { progress }) }),
    );
  }

  /** Serves another copy. `changed`: uids of types; undefined: all, and what else depends on the origin is read again. */
  async #replace(
    file: string,
    { settings, schema }: ProjectSource,
    model: Model,
    result: RestPullResult,
    changed: ReadonlySet<string> | undefined,
  ): Promise<void> {
    const { client, folder, load, environment } = this.#options;
    const known = changed && this.#state;
    const limits = known?.limits ?? (await readLimits(client, model));
    const isGraphql = known?.hasGraphql ?? (await hasGraphql(client, settings.graphql.endpoint));
    const actions = listActions(model, result);
    const copy = `copy-${crypto.randomUUID()}`;
    const copyFolder = join(folder, copy);
    writeProject(copyFolder, schema, settings, { limits, actions });
    const task = { archive: { file, key: undefined }, folder: copyFolder, environment, schema };
    const content = await load(task, this.#stop.signal);
    const earlier = this.folder;
    if (this.#generations) {
      const { released } = this.#generations.replace(content);
      if (earlier !== undefined) void released.then(() => rmSync(earlier, { recursive: true, force: true }));
    } else this.#generations = new Generations(content, this.#options);
    const found = result.foundTypes.map((uid) => contentType(model, uid));
    const served = await this.#compareAnswers(found, changed);
    const now = Date.now();
    const readAt = known?.readAt ?? now;
    this.#setState({ copy, actions, served, limits, hasGraphql: isGraphql, checkedAt: now, readAt });
  }

  /** Resolves with the uids of types that the copy answers for. Of those that have not changed, the earlier comparison holds. */
  async #compareAnswers(types: readonly ContentType[], changed: ReadonlySet<string> | undefined): Promise<string[]> {
    const { client, settings, report } = this.#options;
    const { handle } = this.#generations!;
    const earlier = this.#state?.served;
    const served: string[] = [];
    for (const type of types) {
      const isKnown = changed && !changed.has(type.uid) && earlier?.includes(type.uid);
      if (isKnown || (await answersAlike(client, type, { prefix: settings.rest.prefix, handle })))
        served.push(type.uid);
      else if (!earlier || earlier.includes(type.uid))
        report(`${type.uid}: the origin does not answer as the copy does; its answers are passed on`);
    }
    return served;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#generations?.close();
    this.#lock.release();
  }
}
