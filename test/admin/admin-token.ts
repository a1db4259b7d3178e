/** Requests to the admin's routes with an admin token. */
import { afterAll, beforeAll } from "bun:test";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, createCall, type TestApp } from "../project.ts";

const KEY = "test-admin";

/** The header of its requests. */
export const AUTHORIZATION = { authorization: `Bearer ${KEY}` };

/** A configuration file that declares the token, besides `settings`. */
export const adminConfigFile = (settings: object = {}) =>
  configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }], ...settings });
export const adminTokenFile = adminConfigFile();

interface Opened {
  readonly galley: Galley;
  readonly admin: TestApp["call"];
}

/**
 * Serves a project with the token while the tests of a file run. `opened` is called before the first. `memory` (true): keep the
 * database in memory, so that the project's files cannot be changed.
 */
export function openAsAdmin(
  folder: { readonly root: string; readonly remove: () => void },
  opened: (parts: Opened) => void | Promise<void>,
  { memory = true }: { readonly memory?: boolean } = {},
): void {
  let galley: Galley;
  beforeAll(async () => {
    galley = await createGalley({ project: folder.root, memory, admin: true, environment: {} });
    await opened({ galley, admin: createCall(galley, AUTHORIZATION) });
  });
  afterAll(async () => {
    await galley.close();
    folder.remove();
  });
}
