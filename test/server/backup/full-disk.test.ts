/** A backup of the admin page that does not fit on the disk is refused as other writes are, and leaves nothing. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley } from "../../../src/index.ts";
import { signedIn } from "../../admin/signed-in.ts";
import { configFile, typeFile } from "../../project.ts";

const root = mkdtempSync(join(tmpdir(), "galley-full-backup-"));
const isMounted =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", root]).exitCode === 0;
afterAll(() => {
  if (isMounted) Bun.spawnSync(["umount", "-l", root]);
  rmSync(root, { recursive: true, force: true });
});

test.skipIf(!isMounted)("507, and the data folder is what it was", async () => {
  for (const [name, text] of Object.entries({ ...typeFile("note", { text: { type: "text" } }), ...configFile() })) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const environment = { ADMIN_JWT_SECRET: "the-secret-of-a-full-disk" };
  await using galley = await createGalley({ project: root, memory: false, admin: true, environment });
  const cookie = await signedIn(galley, environment.ADMIN_JWT_SECRET);
  const text = crypto.getRandomValues(new Uint8Array(30_000)).toHex();
  for (let at = 0; at < 8; at++) await galley.documents("api::note.note").create({ data: { text } });
  writeFileSync(join(root, "other"), new Uint8Array(1_500_000));
  const before = readdirSync(join(root, ".galley"));
  const response = await galley.handle(
    new Request("http://localhost/admin/api/backup/file", {
      method: "POST",
      headers: { host: "localhost", "sec-fetch-site": "same-origin", "x-galley-admin": "1", cookie },
    }),
  );
  expect([response.status, await response.json()]).toMatchObject([
    507,
    { error: { name: "InsufficientStorageError" } },
  ]);
  expect(readdirSync(join(root, ".galley"))).toEqual(before);
});
