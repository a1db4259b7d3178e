/** Databases of earlier versions, whose files have not changed since. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { actionNames } from "../../../src/engine/access/action-names.ts";
import { createGalley } from "../../../src/index.ts";
import { openProject } from "../../../src/server/project/project.ts";
import { hash } from "../../../src/server/project/project-source.ts";
import { ADMIN, configFile, createCall, projectFolder, typeFile } from "../../project.ts";

/** The columns that API tokens have got since. */
const ADDED = ["description", "lifespan", "encrypted_key", "updated_at"];

test("API tokens work with a table that lacks the columns of today", async () => {
  const { root, remove } = projectFolder({ ...configFile(), ...typeFile("post", { title: { type: "string" } }) });
  const project = openProject(root, { memory: false, publicRead: false, environment: {} });
  await project.idle();
  const { settings, context } = project;
  const { galley, configSync } = settings;
  const keys = galley.tokens?.map(() => undefined);
  const { tokenSalt } = project.secrets;
  // how it was marked that the configuration is applied
  const mark = hash([
    galley,
    actionNames(context.model),
    keys && Bun.hash(JSON.stringify([keys, tokenSalt])).toString(36),
    configSync,
  ]);
  await project.close();
  const database = new Database(join(root, ".galley/content.db"));
  for (const column of ADDED) database.run(`ALTER TABLE galley_tokens DROP COLUMN ${column}`);
  database.run("UPDATE galley_meta SET value = ? WHERE key = 'applied'", [mark]);
  database.close();
  const app = await createGalley({ project: root, memory: false, environment: {} });
  expect((await createCall(app, ADMIN)("GET", "/api/posts")).status).toBe(200);
  await app.close();
  remove();
});
