/** A worker that is stopped while clients wait for it: their connections end, and the other workers answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { configFile, projectFolder, typeFile, writeFiles } from "../project.ts";
import { until } from "../until.ts";
import { isAlive, Server, WORKERS } from "./worker-server.ts";

const BODY = '{"data":{"title":"sent in two parts"}}';

/** A connection that is kept alive. */
class Client {
  received = "";
  isClosed = false;
  readonly #socket;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1")
      .on("data", (data) => {
        this.received += data;
      })
      // a reset is followed by "close"
      .on("error", () => {})
      .on("close", () => {
        this.isClosed = true;
      });
  }

  send(...lines: readonly string[]): void {
    this.received = "";
    this.#socket.write(lines.join("\r\n"));
  }

  ask(path: string): void {
    this.send(`GET ${path} HTTP/1.1`, "Host: localhost", "", "");
  }

  /** Whether a response has arrived. */
  get isAnswered(): boolean {
    return this.received.startsWith("HTTP/1.1 ");
  }
}

describe.skipIf(process.platform !== "linux")("a worker that is stopped", () => {
  // so many that each worker has some
  const CLIENTS = 12 * WORKERS;
  const { root, remove } = projectFolder({
    ...typeFile("post", { title: { type: "string" } }),
    ...configFile({ roles: { public: ["api::post.post.*"] } }),
  });
  const clients = (): Client[] => Array.from({ length: CLIENTS }, () => new Client(server.port));
  let server: Server;
  beforeAll(async () => {
    server = new Server(root);
    await server.started();
  });
  afterAll(async () => {
    await server.stop("SIGKILL");
    remove();
  });

  test("is replaced: its connections end, and the others answer, also about changed files", async () => {
    const idle = clients();
    const asking = clients();
    const sending = clients();
    for (const client of [...idle, ...asking]) client.ask("/api/posts");
    await until("all have an answer", () => [...idle, ...asking].every(({ isAnswered }) => isAnswered));
    const head = ["POST /api/posts HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
    for (const client of sending) client.send(...head, `Content-Length: ${BODY.length}`, "", BODY.slice(0, 8));
    const before = server.workers();
    process.kill(before[0]!, "SIGSTOP");
    for (const client of asking) client.ask("/api/posts");
    writeFiles(root, typeFile("tag", { label: { type: "string" } }));
    const later: Client[] = [];
    await until("a worker serves the files", () => {
      const client = new Client(server.port);
      client.ask("/api/tags");
      later.push(client);
      return server.out.includes("GET /api/tags 403");
    });
    await until("the worker is replaced", () => server.workers().every((pid) => pid !== before[0]));
    await until("nobody waits any more", () =>
      [...asking, ...later].every((client) => client.isAnswered || client.isClosed),
    );
    for (const group of [idle, asking, sending]) {
      expect(group.filter(({ isClosed }) => isClosed).length).toBeWithin(1, CLIENTS);
    }
    // those of the other workers go on
    for (const client of sending) if (!client.isClosed) client.send(BODY.slice(8));
    await until("what was sent in part is answered", () =>
      sending.every((client) => client.isAnswered || client.isClosed),
    );
    await until("the new worker serves the files", async () => {
      await server.many("GET", "/api/tags");
      return server.answeredBy("GET /api/tags").size === WORKERS;
    });
    expect(server.answeredBy("POST /api/posts 201").size).toBe(WORKERS - 1);
    expect(server.errors).toBe(
      "galley: worker 1 ended by SIGKILL (it did not respond any more); it is started again\n",
    );
  }, 180_000);

  test("does not keep the server from ending", async () => {
    const workers = server.workers();
    process.kill(workers[1]!, "SIGSTOP");
    expect(await server.stop("SIGTERM")).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  }, 180_000);
});
