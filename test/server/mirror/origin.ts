/** A Galley with much content that mirrors copy, whose connection fails on purpose. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeContent } from "../../../scripts/roundtrip/content.ts";
import { loadSettings } from "../../../src/engine/config/settings.ts";
import { createApp } from "../../../src/server/app.ts";
import { type MirrorOptions, runMirror } from "../../../src/server/mirror/mirror.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { loadArchive } from "../../../src/server/published/load.ts";
import { RestClient } from "../../../src/transfer/remote/rest/client.ts";
import { CONFORMANCE } from "../../project.ts";

export const FULL = "conformance-full-access";

export interface Origin {
  readonly project: Project;
  readonly root: string;
  /** Requests of mirrors, in their order. */
  readonly requests: Request[];
  /** Called before a request is answered. */
  intercept: ((request: Request) => Response | undefined | Promise<Response | undefined>) | undefined;
  /** Asks without any failure. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void>;
}

export async function startOrigin(): Promise<Origin> {
  const folder = mkdtempSync(join(tmpdir(), "galley-origin-"));
  cpSync(CONFORMANCE, folder, { recursive: true });
  const project = openProject(folder, { memory: false, publicRead: false, environment: {} });
  await project.idle();
  const app = createApp(project);
  const ask = (request: Request) => app.handle(request);
  await makeContent({ model: project.model, ask, token: FULL, locales: ["en", "fr"], documents: 6, files: 4, seed: 7 });
  const requests: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      requests.push(request);
      return (await origin.intercept?.(request)) ?? app.handle(request);
    },
  });
  const headers = { authorization: `Bearer ${FULL}`, "content-type": "application/json" };
  const origin: Origin = {
    project,
    root: `http://127.0.0.1:${server.port}`,
    requests,
    intercept: undefined,
    ask: async (path, init) => app.handle(new Request(`http://localhost${path}`, { headers, ...init })),
    close: async () => {
      server.stop(true);
      await project.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return origin;
}

export function startMirror(origin: Pick<Origin, "root">, folder: string, options: Partial<MirrorOptions> = {}) {
  const token = FULL;
  return runMirror({
    folder,
    client: new RestClient(origin.root, { prefix: "/api", token, wait: async () => {} }),
    token,
    settings: loadSettings(folder, {}),
    schema: undefined,
    refreshMs: 60_000,
    writes: false,
    isExposed: false,
    publicRead: false,
    environment: {},
    filesMs: 0,
    load: async (task) => ({ folder: task.folder, source: await loadArchive(task) }),
    report: () => {},
    ...options,
  });
}
