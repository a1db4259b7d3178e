/** Passwords of documents: only their hashes are available when a draft is published. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createGalley } from "../../../src/index.ts";
import { projectFolder, typeFile } from "../../project.ts";

const files = typeFile(
  "vault",
  { name: { type: "string" }, secret: { type: "password", required: true } },
  { draftAndPublish: true },
);

test("publishes a draft with a required password, twice with the same hash", async () => {
  const { root, remove } = projectFolder(files);
  const galley = await createGalley({ project: root, memory: false });
  const vaults = galley.documents("api::vault.vault");
  const { documentId } = await vaults.create({ data: { name: "a", secret: "Passw0rd" }, status: "published" });
  await vaults.update({ documentId: documentId as string, data: { name: "b" }, status: "published" });
  const published = await vaults.findOne({ documentId: documentId as string, status: "published" });
  expect(published).toMatchObject({ name: "b" });
  await expect(vaults.create({ data: { name: "c" }, status: "published" })).rejects.toThrow("secret must be");
  const database = new Database(join(root, ".galley/content.db"), { readonly: true });
  const hashes = database.query<{ secret: string }, []>("SELECT secret FROM vaults WHERE name = 'b'").all();
  database.close();
  await galley.close();
  remove();
  expect(hashes.length).toBe(2);
  expect(hashes[0]).toEqual(hashes[1]!);
  expect(await Bun.password.verify("Passw0rd", hashes[0]!.secret)).toBe(true);
});
