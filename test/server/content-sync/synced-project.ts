/** A project on disk whose `content/` is synchronised pass by pass. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import type { Data } from "../../../src/engine/documents/documents.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { ContentFolder } from "../../../src/server/content-sync/folder.ts";
import { SyncState } from "../../../src/server/content-sync/state.ts";
import { ContentSync, type SyncOptions, type SyncResult } from "../../../src/server/content-sync/sync.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { configFile, projectFolder, writeFiles } from "../../project.ts";

interface Options {
  readonly status?: "draft" | "published";
  readonly locale?: string;
}

export class SyncedProject {
  readonly root: string;
  project: Project;
  readonly #remove: () => void;

  constructor(files: Readonly<Record<string, string>>) {
    const { root, remove } = projectFolder({ ...configFile(), ...files });
    this.root = root;
    this.#remove = remove;
    mkdirSync(join(root, "content"), { recursive: true });
    this.project = this.#open();
  }

  #open(): Project {
    return openProject(this.root, { memory: false, publicRead: true, environment: {} });
  }

  /** Closes the project and opens it with other files, such as schemas. */
  async reopen(files: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.project.close();
    writeFiles(this.root, files);
    this.project = this.#open();
  }

  get context() {
    return this.project.context;
  }

  service(name: string) {
    return new DocumentService(this.context, contentType(this.project.model, `api::${name}.${name}`));
  }

  async create(name: string, data: Data, options: Options = {}): Promise<string> {
    return (await this.service(name).create({ data, ...options })).documentId as string;
  }

  update(name: string, documentId: string, data: Data, options: Options = {}) {
    return this.service(name).update({ documentId, data, ...options });
  }

  /** As the admin page does. */
  save(name: string, documentId: string, data: Data, status: "draft" | "published") {
    return this.service(name).update({ documentId, data, status }, { sharesDrafts: true });
  }

  find(name: string, documentId: string, options: Options = {}) {
    return this.service(name).findOne({ documentId, ...options });
  }

  /** Adds a file to the media library. Returns its row. */
  async addMedia(name: string): Promise<number> {
    const library = this.project.media().own;
    const stream = new Blob([name]).stream();
    const received = await library.receive({ filename: name, type: "text/plain", stream });
    const [record] = await library.create([{ file: await library.accept(received), info: {} }]);
    return record!.id as number;
  }

  get folder(): ContentFolder {
    return new ContentFolder(join(this.root, "content"));
  }

  get state(): SyncState {
    return new SyncState(this.context.storage);
  }

  /** One pass. */
  pass(options: Partial<SyncOptions> = {}): Promise<SyncResult> {
    return new ContentSync(this.project, this.folder, { writes: true, ...options }).run();
  }

  /** Passes until nothing is left to do. */
  async sync(options: Partial<SyncOptions> = {}): Promise<SyncResult> {
    const first = await this.pass(options);
    let last = first;
    for (let time = 0; time < 5; time++) {
      last = await this.pass(options);
      if (last.applied + last.deleted + last.written === 0) return first;
    }
    throw new Error(`Files and database do not come to rest: ${JSON.stringify(last)}`);
  }

  path(file: string): string {
    return join(this.root, "content", file);
  }

  read(file: string): string {
    return readFileSync(this.path(file), "utf8");
  }

  exists(file: string): boolean {
    return existsSync(this.path(file));
  }

  write(file: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.path(file)), { recursive: true });
    writeFileSync(this.path(file), text);
  }

  /** Replaces a part of a file. */
  edit(file: string, from: string | RegExp, to: string): void {
    const text = this.read(file);
    const edited = text.replace(from, to);
    if (edited === text) throw new Error(`${file} has no ${from}: ${text}`);
    this.write(file, edited);
  }

  remove(file: string): void {
    rmSync(this.path(file), { recursive: true });
  }

  list(folder = ""): string[] {
    return readdirSync(this.path(folder)).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.project.close();
    this.#remove();
  }
}
