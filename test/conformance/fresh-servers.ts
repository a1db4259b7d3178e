/** Servers of the recordings' projects: each project is started once, and reset for every recording after the first. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import type { Recording } from "./scenario.ts";

/** Types and locales are changed in the project's files, which a project in memory leaves alone. */
const changesFiles = ({ steps }: Recording): boolean =>
  steps.some(({ as, path = "" }) => as === "admin" && /^\/(i18n|content-type-builder)\//.test(path));

const speaksMcp = ({ steps }: Recording): boolean => steps.some(({ mcp }) => mcp);

/** A project's own code keeps what it likes in variables, which a reset does not know of. */
const hasCode = ({ project }: Recording): boolean => project.startsWith("../projects/");

interface Started {
  readonly root: string;
  readonly galley: Galley;
}

export class FreshServers {
  readonly #shared = new Map<string, Started>();
  readonly #alone: Started[] = [];

  /** A server as after its start; it is for one recording at a time. */
  async serverFor(recording: Recording): Promise<Galley> {
    if (changesFiles(recording) || hasCode(recording) || speaksMcp(recording)) {
      const started = await start(recording, !changesFiles(recording));
      this.#alone.push(started);
      return started.galley;
    }
    const { project } = recording;
    const shared = this.#shared.get(project);
    if (shared) {
      await shared.galley.reset();
      return shared.galley;
    }
    const started = await start(recording, true);
    this.#shared.set(project, started);
    return started.galley;
  }

  /** Ends the servers that are not used again; with `all`, every one. */
  async close(all = false): Promise<void> {
    const ended = [...this.#alone.splice(0), ...(all ? this.#shared.values() : [])];
    if (all) this.#shared.clear();
    for (const { galley, root } of ended) {
      await galley.close();
      rmSync(root, { recursive: true, force: true });
    }
  }
}

/** Each project gets the endpoint, and a token for it. */
function enableMcp(root: string): void {
  writeFileSync(join(root, "config/server.json"), '{ "mcp": { "enabled": true } }');
  const file = join(root, "config/galley.json");
  const { tokens = [], ...settings } = JSON.parse(readFileSync(file, "utf8")) as { tokens?: { type: string }[] };
  const others = tokens.filter(({ type }) => type !== "admin");
  const admin = { name: "admin", type: "admin", key: "conformance-admin" };
  writeFileSync(file, JSON.stringify({ ...settings, tokens: [...others, admin] }));
}

async function start(recording: Recording, memory: boolean): Promise<Started> {
  const root = mkdtempSync(join(tmpdir(), "galley-conformance-"));
  cpSync(join(import.meta.dir, recording.project), root, { recursive: true });
  if (speaksMcp(recording)) enableMcp(root);
  // Strapi was asked in production
  const environment = { NODE_ENV: "production" };
  return { root, galley: await createGalley({ project: root, memory, admin: true, environment }) };
}
