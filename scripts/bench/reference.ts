/** Strapi among the targets: a Strapi that is installed, with the same content loaded through its REST API. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layOut, VERSION } from "../conformance/reference.ts";
import { createContent } from "./data.ts";
import { PROJECT, TOKEN } from "./project.ts";
import { start, type Target } from "./target.ts";
import type { Ids } from "./works.ts";

/** It gains nothing from more. */
const WRITERS = 4;

export const reference: Target = {
  name: "reference",
  // it makes its tables with the first start, and asking without a pause would take a core from it
  patienceMs: 600_000,
  pollMs: 20,
  command: () => ["node", "node_modules/.bin/strapi", "start"],
  environment: (port) => ({
    PORT: String(port),
    HOST: "127.0.0.1",
    STRAPI_TELEMETRY_DISABLED: "true",
    STRAPI_DISABLE_UPDATE_NOTIFICATION: "true",
    BROWSER: "none",
  }),
};

/** Fills a project of Strapi; made once, then taken from `cache`. `installed` is where its packages are. */
export async function makeReferenceContent(
  cache: string,
  installed: string,
  articles: number,
): Promise<{ folder: string; ids: Ids }> {
  const folder = join(cache, `reference-${VERSION}-${articles}`);
  const idsFile = join(folder, "ids.json");
  if (existsSync(idsFile)) return { folder, ids: JSON.parse(readFileSync(idsFile, "utf8")) as Ids };
  const unfinished = `${folder}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const laidOut = layOut(installed, PROJECT);
  cpSync(laidOut, unfinished, { recursive: true, verbatimSymlinks: true });
  rmSync(laidOut, { recursive: true, force: true });
  const up = await start(reference, unfinished);
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const create = async (plural: string, data: unknown): Promise<string> => {
    const response = await fetch(`${up.url}/api/${plural}`, {
      method: "POST",
      headers,
      // Node closes idle connections after 5 s, also while a request is on its way to it
      keepalive: false,
      body: JSON.stringify({ data }),
    });
    if (!response.ok) throw new Error(`Strapi refused ${plural}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: { documentId: string } }).data.documentId;
  };
  const ids = await createContent(create, articles, WRITERS);
  await up.stop();
  writeFileSync(join(unfinished, "ids.json"), JSON.stringify(ids));
  renameSync(unfinished, folder);
  return { folder, ids };
}
