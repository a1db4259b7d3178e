/** What commands refuse before they do anything: one short line, and nothing printed or written. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PROGRAM } from "../program.ts";
import { CONFORMANCE } from "../project.ts";

const ARCHIVE = join(import.meta.dir, "../transfer/fixtures/reference.tar.gz");
const folder = mkdtempSync(join(tmpdir(), "galley-refusals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is mistaken for a project or an archive. */
const mistaken = mkdtempSync(join(tmpdir(), "galley-mistaken-"));
afterAll(() => rmSync(mistaken, { recursive: true, force: true }));
const file = (name: string, content: string): string => {
  const path = join(mistaken, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
};
const sqlite = file("data.db", "");
new Database(sqlite).run("CREATE TABLE strapi_migrations (id INTEGER)");
const zip = file("content.zip", "PK\x03\x04 and more");
const empty = file("empty.tar.gz", "");
const other = file("other.tar", "\0".repeat(1_024));
const schema = join(CONFORMANCE, "src/api/tag/content-types/tag/schema.json");
const v3 = join(dirname(file("v3/api/post/models/post.settings.json", "{}")), "../../..");

const refusals: readonly (readonly [name: string, words: readonly string[], message: string])[] = [
  [
    "an archive in a folder that is not there",
    ["export", join(folder, "nowhere/a.tar.gz"), CONFORMANCE],
    `there is no folder ${join(folder, "nowhere")}`,
  ],
  [
    "a token without a name, with the command's usage",
    ["token", "revoke"],
    "which token? Its name comes first: galley token revoke <name> [project]",
  ],
  [
    "settings as files",
    ["export", "--to", join(folder, "files"), CONFORMANCE, "--only", "config"],
    "--only config leaves nothing that files hold: settings are in archives only",
  ],
  [
    "media files without their records for a Strapi",
    ["push", "http://127.0.0.1:9", CONFORMANCE, "--yes", "--token", "t", "--only", "files"],
    "a Strapi takes media files only with their records: plugin::upload.file",
  ],
  ...[
    ["export", "a.tar.gz", CONFORMANCE],
    ["import", "a.tar.gz", CONFORMANCE],
    ["pull", "http://127.0.0.1:9", CONFORMANCE, "--token", "t"],
    ["push", "http://127.0.0.1:9", CONFORMANCE, "--token", "t"],
  ].map((words): (typeof refusals)[number] => [
    `data that ${words[0]} does not have`,
    [...words, "--only", "file"],
    'Invalid options for "only": file; did you mean files? (it takes content, files, config)',
  ]),
  [
    "an option without its value",
    ["export", "a.tar.gz", CONFORMANCE, "--key"],
    "--key needs a value: --key <password>",
  ],
  [
    "a project in the place of content files",
    ["import", CONFORMANCE, CONFORMANCE, "--yes"],
    `${CONFORMANCE} is a project: galley import ${CONFORMANCE}/content reads its files, galley export <archive> ${CONFORMANCE} writes an archive of its database`,
  ],
  ["a copy from nowhere", ["pull"], "pull needs the URL of a Strapi server: galley pull <url> [project]"],
  [
    "a file in the place of a backup's folder",
    ["backup", join(import.meta.path, "a.tar.gz"), CONFORMANCE],
    `there is no folder ${import.meta.path}`,
  ],
  [
    "a project in a file",
    ["init", join(import.meta.path, "project")],
    `${import.meta.path}/project: cannot be opened or created: a part of its path is a file (ENOTDIR: not a directory, stat '${import.meta.path}/project')`,
  ],
  [
    "a project in the place of another",
    ["init", CONFORMANCE],
    `${CONFORMANCE} is a project already: galley serve ${CONFORMANCE} serves it; --template adds one of starter, blog, empty`,
  ],
  ["types in a folder", ["types", CONFORMANCE, "--out", folder], `${folder} is a folder: --out names a file`],
  [
    "a misspelt topic",
    ["help", "grafql"],
    'unknown command "grafql"; did you mean graphql? (galley help lists commands and topics)',
  ],
  ["an option of a topic", ["help", "agents", "--json"], "galley help agents has no options; --json is not known"],
  [
    "an archive where nobody listens",
    ["serve", "http://127.0.0.1:9/a.tar.gz"],
    "http://127.0.0.1:9/a.tar.gz: cannot be reached",
  ],
  ...["serve", "run", "test-server"].map((command): (typeof refusals)[number] => [
    `a schema in the place of a project: ${command}`,
    [command, schema, ...(command === "run" ? ["--", "true"] : [])],
    `${schema} is not an archive; ${CONFORMANCE} is named by its folder`,
  ]),
  [
    "a folder inside a project",
    ["types", join(CONFORMANCE, "src")],
    `${CONFORMANCE}/src is inside the project ${CONFORMANCE}: name that folder`,
  ],
  [
    "a project of Strapi 3",
    ["serve", v3],
    `${v3} is a project of Strapi 3, whose models are in api/: Strapi has to migrate it to Strapi 5 first`,
  ],
  [
    "Strapi's database",
    ["import", sqlite, CONFORMANCE, "--yes"],
    "data.db: is a SQLite database: strapi export --no-encrypt, in its project, writes an archive of its content",
  ],
  ["a ZIP file", ["serve", zip], "content.zip: is a ZIP file: an archive is a tar file, compressed or not"],
  [
    "an empty file",
    ["import", empty, CONFORMANCE, "--yes"],
    "empty.tar.gz: is empty, so that it is not a valid Strapi data file",
  ],
  [
    "a tar file of something else",
    ["import", other, CONFORMANCE, "--yes"],
    "other.tar: is not a valid Strapi data file: it has no metadata.json (galley restore reads backups)",
  ],
  [
    "an archive in the place of a backup",
    ["restore", ARCHIVE, CONFORMANCE, "--yes"],
    "reference.tar.gz: is not a backup: it has schemas/schemas_00001.jsonl (galley import reads archives)",
  ],
  ["a script in a folder", ["script", mistaken, CONFORMANCE], `there is no file ${mistaken}`],
  ["an empty password", ["export", "a.tar.gz", CONFORMANCE, "--key", ""], "--key needs a value: --key <password>"],
  ["an empty port", ["serve", CONFORMANCE, "--port="], "--port needs a value: --port <number>"],
  ...["pull", "diff", "mirror"].map((command): (typeof refusals)[number] => [
    `two tokens: ${command}`,
    [command, "http://127.0.0.1:9", CONFORMANCE, "--token", "one\ntwo"],
    "the token has a space, a line end or a character that no token has: one token is expected",
  ]),
  ["a watch that writes no file", ["types", CONFORMANCE, "--watch"], "--watch needs --out <file>"],
  ["a port of the short option", ["serve", CONFORMANCE, "-p", "port"], '--port must be a port number, not "port"'],
  [
    "a time that is none",
    ["pull", "http://127.0.0.1:9", CONFORMANCE, "--yes", "--token", "t", "--since", "yesterday"],
    "--since must be a time such as 2026-01-31T12:00:00Z, or last",
  ],
];

for (const [name, words, message] of refusals)
  test(name, async () => {
    const child = Bun.spawn([...PROGRAM, ...words], { cwd: folder, stdout: "pipe", stderr: "pipe" });
    const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect([await child.exited, out, errors]).toEqual([1, "", `galley: ${message}\n`]);
    expect(readdirSync(folder)).toEqual([]);
  });

const sh = (script: string, ...words: readonly string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", "-c", script, ...PROGRAM, ...words], { timeout: 30_000 });
  return { code: exitCode, out: stdout.toString(), errors: stderr.toString() };
};

test.skipIf(process.platform !== "linux")(
  "a full disk at the end of a pipe is an error, and a reader that has enough is none",
  () => {
    const written = sh('"$0" "$@" > /dev/full', "types", CONFORMANCE);
    expect(written).toEqual({
      code: 1,
      out: "",
      errors:
        "galley: the standard output: cannot be written: the disk is full (ENOSPC: no space left on device, write)\n",
    });
    const read = sh('{ "$0" "$@"; echo "$?" >&2; } | head -1', "openapi", CONFORMANCE);
    expect(read).toEqual({ code: 0, out: "{\n", errors: "0\n" });
  },
);

test.skipIf(process.platform === "win32")("a description is written to a device", () => {
  const { code, out } = sh('"$0" "$@" | head -1', "types", CONFORMANCE, "--out", "/dev/stdout");
  expect([code, out]).toEqual([0, "// Written by galley types. Changes are lost.\n"]);
});
