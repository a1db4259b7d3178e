/** A project with media fields, opened for one test, and the requests that the tests make of it. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GalleySettings } from "../../../src/engine/config/galley-file.ts";
import { createApp } from "../../../src/server/app.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";

const FIXTURE = join(import.meta.dir, "../../projects/media");

/** A copy of the fixture below the system's temporary folder. */
export function copyProject(settings?: Partial<GalleySettings>): string {
  const root = mkdtempSync(join(tmpdir(), "galley-test-"));
  cpSync(FIXTURE, root, { recursive: true });
  if (settings) {
    const file = join(root, "config/galley.json");
    const known = require(file) as GalleySettings;
    Bun.write(file, JSON.stringify({ ...known, ...settings }));
  }
  return root;
}

export interface Sent {
  readonly content: string | Uint8Array;
  readonly name?: string;
  readonly type?: string;
  readonly field?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // answers are JSON of many shapes, which the tests take apart
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
  readonly bytes: Uint8Array;
}

export class Library {
  readonly project: Project;
  readonly root: string;
  readonly #app: ReturnType<typeof createApp>;

  constructor(root: string, memory = false) {
    this.root = root;
    this.project = openProject(root, { memory, publicRead: false, environment: {} });
    this.#app = createApp(this.project);
  }

  get uploads(): string {
    return join(this.root, "public/uploads");
  }

  /** Names of the stored files; unfinished ones are none. */
  stored(): string[] {
    return readdirSync(this.uploads).filter((name) => !name.startsWith("."));
  }

  unfinished(): string[] {
    return readdirSync(join(this.uploads, ".galley"));
  }

  async ask(path: string, init: RequestInit & { as?: string } = {}): Promise<Answered> {
    const headers = new Headers(init.headers);
    const token = init.as ?? "full";
    if (token !== "") headers.set("Authorization", `Bearer ${token}`);
    const response = await this.#app.handle(new Request(`http://localhost${path}`, { ...init, headers }));
    const bytes = await response.bytes();
    const text = new TextDecoder().decode(bytes);
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, bytes };
  }

  send(files: readonly Sent[], fields: Readonly<Record<string, string>> = {}, path = "/api/upload", as = "full") {
    const form = new FormData();
    for (const { content, name = "note.txt", type = "", field = "files" } of files) {
      form.append(field, new File([content as never], name, { type }));
    }
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    return this.ask(path, { method: "POST", body: form, as });
  }

  /** A body as it stands, with a boundary of `x`. */
  sendRaw(body: string | Uint8Array, path = "/api/upload", type = "multipart/form-data; boundary=x") {
    return this.ask(path, { method: "POST", body: body as never, headers: { "Content-Type": type } });
  }

  json(method: string, path: string, body: unknown) {
    const headers = { "Content-Type": "application/json" };
    return this.ask(path, { method, body: JSON.stringify(body), headers });
  }

  close(): void {
    this.project.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const openLibrary = (settings?: Partial<GalleySettings>): Library => new Library(copyProject(settings));
