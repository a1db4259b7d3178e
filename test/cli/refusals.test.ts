/** What commands refuse before they do anything: one short line, and nothing printed or written. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";
import { CONFORMANCE } from "../project.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-refusals-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const refusals: readonly (readonly [name: string, words: readonly string[], message: string])[] = [
  [
    "an archive in a folder that is not there",
    ["export", join(folder, "nowhere/a.tar.gz"), CONFORMANCE],
    `there is no folder ${join(folder, "nowhere")}`,
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
  ["types in a folder", ["types", CONFORMANCE, "--out", folder], `${folder} is a folder: --out names a file`],
  [
    "a misspelt topic",
    ["help", "grafql"],
    'unknown command "grafql"; did you mean graphql? (galley help lists commands and topics)',
  ],
  [
    "an archive where nobody listens",
    ["serve", "http://127.0.0.1:9/a.tar.gz"],
    "http://127.0.0.1:9/a.tar.gz: cannot be reached",
  ],
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
