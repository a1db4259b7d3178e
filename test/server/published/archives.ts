/** Archives of small projects for tests of published content, and a server that has them, as stores do. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProject } from "../../../src/server/start.ts";
import { exportArchive } from "../../../src/transfer/export/export-archive.ts";
import { configFile, projectFolder, typeFile } from "../../project.ts";

const KEY = "a key";

/** An archive of posts with this title, as many as told, and a text file of uploads with the title. */
export async function createArchive(title: string, { count = 3, key }: { count?: number; key?: string } = {}) {
  const { root, remove } = projectFolder({
    ...configFile({
      roles: {
        public: [
          "api::post.post.find",
          "api::post.post.findOne",
          "api::post.post.create",
          "plugin::upload.content-api.upload",
          "plugin::upload.content-api.find",
          "plugin::users-permissions.auth.callback",
          "plugin::users-permissions.auth.register",
        ],
      },
      users: [{ username: "ada", email: "ada@example.org", password: "long enough" }],
    }),
    ...typeFile("post", { title: { type: "string" }, place: { type: "integer" } }, { draftAndPublish: true }),
    ...typeFile("tag", { label: { type: "string" } }),
  });
  const folder = mkdtempSync(join(tmpdir(), "galley-published-test-"));
  const file = join(folder, key === undefined ? "content.tar.gz" : "content.tar.gz.enc");
  const { project } = await startProject(root, { memory: true, publicRead: false, environment: {} });
  try {
    await project.idle();
    const { DocumentService } = await import("../../../src/engine/documents/document-service.ts");
    const posts = new DocumentService(project.context, project.model.types.get("api::post.post")!);
    for (let place = 0; place < count; place++) await posts.create({ data: { title, place }, status: "published" });
    const form = new FormData();
    form.append("files", new Blob([title], { type: "text/plain" }), "note.txt");
    const { createApp } = await import("../../../src/server/app.ts");
    const stored = await createApp(project).handle(
      new Request("http://localhost/api/upload", { method: "POST", body: form }),
    );
    if (stored.status !== 201) throw new Error(await stored.text());
    const { context, schema, settings, uploads } = project;
    await exportArchive({ context, schema, settings, uploadFolder: uploads.path }, { file, key });
    return new Uint8Array(await Bun.file(file).arrayBuffer());
  } finally {
    await project.close();
    remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a store has under one name, and how it behaves. */
export class Store {
  bytes: Uint8Array = new Uint8Array();
  etag: string | null = null;
  /** Answers in the place of the archive. */
  answer: ((request: Request) => Response | Promise<Response> | undefined) | undefined;
  /** Requests, by the status of their answers. */
  readonly statuses: number[] = [];
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#fetch(request) });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/content.tar.gz`;
  }

  put(bytes: Uint8Array, etag: string | null = `"${Bun.hash(bytes).toString(36)}"`): void {
    this.bytes = bytes;
    this.etag = etag;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #fetch(request: Request): Promise<Response> {
    const response = (await this.answer?.(request)) ?? this.#archive(request);
    this.statuses.push(response.status);
    return response;
  }

  #archive(request: Request): Response {
    const headers: Record<string, string> = this.etag === null ? {} : { etag: this.etag };
    if (this.etag !== null && request.headers.get("if-none-match") === this.etag)
      return new Response(null, { status: 304, headers });
    return new Response(new Uint8Array(this.bytes), { headers });
  }
}

export { KEY };
