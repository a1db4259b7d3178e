/** Plays scenarios against an installed Strapi, each on a fresh copy of its project's database. */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { administrator } from "../../src/admin/administrator.ts";
import { type Played, play } from "../../test/conformance/play.ts";
import type { Scenario, Step } from "../../test/conformance/scenario.ts";
import { layOut, start } from "./reference.ts";

const files = join(import.meta.dir, "../../test/conformance/files");

/** The session of a first administrator, who has the name of Galley's. */
export async function registerAdministrator(url: string): Promise<string> {
  const { email, firstname, lastname } = administrator;
  const body = JSON.stringify({ email, firstname, lastname, password: "Conformance1" });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/admin/register-admin`, { method: "POST", headers, body });
  return ((await response.json()) as { data: { token: string } }).data.token;
}

/** A token for the Model Context Protocol, with all permissions of the administrator. */
export async function createAdminToken(url: string, session: string): Promise<string> {
  const headers = { authorization: `Bearer ${session}`, "content-type": "application/json" };
  const own = await fetch(`${url}/admin/users/me/permissions`, { headers });
  const { data } = (await own.json()) as { data: Record<string, unknown>[] };
  const adminPermissions = data.map(({ action, subject, properties, conditions }) => ({
    action,
    subject,
    properties,
    conditions,
  }));
  const body = JSON.stringify({ name: "mcp", description: "", lifespan: null, adminPermissions });
  const response = await fetch(`${url}/admin/admin-tokens`, { method: "POST", headers, body });
  return ((await response.json()) as { data: { accessKey: string } }).data.accessKey;
}

export class FreshRuns {
  readonly #installed: string;
  readonly #projects: string;
  readonly #laidOut = new Map<string, string>();
  #port = 15_000 + Math.floor(Math.random() * 4_000);

  /** `installed`: the folder of `install`; `projects`: the folder that scenarios name their project in. */
  constructor(installed: string, projects: string) {
    this.#installed = installed;
    this.#projects = projects;
  }

  /** `develop` lets the scenario change types, and starts Strapi again after each change. */
  async play(scenario: Scenario, develop = false): Promise<Played> {
    const project = scenario.project ?? "project";
    const folder = await this.#freshProject(project);
    const port = ++this.#port;
    const speaksMcp = scenario.steps.some((step) => step.mcp);
    const environment: Record<string, string> = speaksMcp ? { MCP: "true" } : {};
    let server = await start(folder, port, environment, develop);
    const serveChange = async ({ method = "GET", path = "" }: Step, status: number): Promise<void> => {
      if (method === "GET" || status >= 300 || !path.startsWith("/content-type-builder/")) return;
      await server.stop();
      server = await start(folder, port, environment, true);
    };
    try {
      const keys: Record<string, string> = {};
      if (speaksMcp || scenario.steps.some((step) => step.as === "admin"))
        keys.admin = await registerAdministrator(server.url);
      if (speaksMcp) keys.mcp = await createAdminToken(server.url, keys.admin!);
      return await play(scenario, server.url, files, keys, develop ? serveChange : undefined);
    } finally {
      await server.stop();
      // the scenario has changed the project's files
      if (develop) this.#forget(project);
    }
  }

  close(): void {
    for (const project of [...this.#laidOut.keys()]) this.#forget(project);
  }

  /** A runnable project whose database was created and set up once, and is as it was then. */
  async #freshProject(project: string): Promise<string> {
    let folder = this.#laidOut.get(project);
    if (!folder) {
      folder = layOut(this.#installed, join(this.#projects, project));
      await (await start(folder, ++this.#port)).stop();
      cpSync(join(folder, "data"), join(folder, "data-fresh"), { recursive: true });
      this.#laidOut.set(project, folder);
    }
    rmSync(join(folder, "data"), { recursive: true, force: true });
    cpSync(join(folder, "data-fresh"), join(folder, "data"), { recursive: true });
    rmSync(join(folder, "public/uploads"), { recursive: true, force: true });
    mkdirSync(join(folder, "public/uploads"), { recursive: true });
    return folder;
  }

  #forget(project: string): void {
    const folder = this.#laidOut.get(project);
    if (folder) rmSync(folder, { recursive: true, force: true });
    this.#laidOut.delete(project);
  }
}
