/** What cannot be served ends the start with one line and exit code 1, without a stack. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { projectFolder } from "../project.ts";
import { brokenProjects, goodFiles } from "../server/broken-projects.ts";

async function start(root: string, ...args: string[]) {
  const child = Bun.spawn([...PROGRAM, "serve", root, "--port", String(freePort()), ...args], {
    stdout: "ignore",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    timeout: 20_000,
  });
  return { errors: await new Response(child.stderr).text(), code: await child.exited };
}

const data = (root: string, name: string): string => {
  mkdirSync(join(root, ".galley"), { recursive: true });
  return join(root, ".galley", name);
};

const broken: readonly { name: string; breakIt: (root: string) => void; tells: string; args?: string[] }[] = [
  ...brokenProjects,
  {
    name: "a database that is none",
    breakIt: (root) => writeFileSync(data(root, "content.db"), "x".repeat(10_000)),
    tells: "is damaged, or not a SQLite database",
  },
  {
    name: "a database of a newer Galley",
    breakIt: (root) => {
      const db = new Database(data(root, "content.db"));
      db.run("PRAGMA user_version = 99");
      db.close();
    },
    tells: "was written by a newer Galley",
  },
  {
    name: "a database of a Galley before the first release",
    breakIt: (root) => {
      const db = new Database(data(root, "content.db"));
      db.run("PRAGMA user_version = 1");
      db.close();
    },
    tells: "was written before the first release: move it away",
  },
  {
    name: "a database of Strapi",
    breakIt: (root) => {
      const db = new Database(data(root, "content.db"));
      db.run("CREATE TABLE strapi_migrations (id INTEGER)");
      db.close();
    },
    tells: "content.db: is a database of Strapi: move it away; galley import takes what strapi export writes of it",
  },
  {
    name: "a file in the place of content/",
    breakIt: (root) => writeFileSync(join(root, "content"), ""),
    tells: "content: is a file, and a folder is expected",
  },
  {
    name: "a folder that cannot be made",
    breakIt: (root) => writeFileSync(join(root, ".galley"), ""),
    tells: "cannot be opened or created",
  },
  {
    name: "secrets that are not JSON",
    breakIt: (root) => writeFileSync(data(root, "secrets.json"), "{ broken"),
    tells: "secrets.json: is not valid JSON",
  },
  { name: "a host that is none", breakIt: () => {}, tells: 'cannot listen on host "a b"', args: ["--host", "a b"] },
  {
    name: "a host of another machine",
    breakIt: () => {},
    tells: 'cannot listen on host "192.0.2.1"',
    args: ["--host", "192.0.2.1"],
  },
];

describe("galley serve refuses", () => {
  for (const { name, breakIt, tells, args = [] } of broken) {
    test(name, async () => {
      const { root, remove } = projectFolder(goodFiles);
      breakIt(root);
      const { errors, code } = await start(root, ...args);
      remove();
      expect({ code, lines: errors.trim().split("\n").length }).toEqual({ code: 1, lines: 1 });
      expect(errors).toStartWith("galley: ");
      expect(errors).toContain(tells);
      expect(errors.length).toBeLessThan(600);
    }, 30_000);
  }
});
