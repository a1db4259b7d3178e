/** A project with files of documents, on which commands are run. */
import { Database } from "bun:sqlite";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";
import { componentFile, configFile, projectFolder, relation, typeFile, writeFiles } from "../project.ts";

const text = { type: "string" };
const SCHEMAS = {
  ...configFile(),
  ...typeFile(
    "article",
    {
      title: { ...text, required: true },
      size: { type: "integer" },
      day: { type: "date" },
      author: relation("manyToOne", "author"),
      cover: { type: "media" },
      parts: { type: "component", component: "shared.part", repeatable: true },
    },
    { draftAndPublish: true },
  ),
  ...typeFile("author", { name: text }),
  ...componentFile("shared.part", { label: text, since: { type: "date" } }),
};
export const VALID = {
  "content/articles/one.yaml":
    "title: One\nsize: 3\nauthor: authors/ada\ncover: a.txt\nparts:\n  - label: x\n$published: true\n",
  "content/articles/two.yaml": "title: Two\n",
  "content/authors/ada.yaml": "name: Ada\n",
  "content/media/a.txt": "hello",
};
const removals: (() => void)[] = [];

/** To be called after all tests of a file. */
export function removeProjects(): void {
  for (const remove of removals.splice(0)) remove();
}

export class ContentProject {
  readonly root: string;

  constructor(files: Readonly<Record<string, string>>) {
    const { root, remove } = projectFolder({ ...SCHEMAS, ...files });
    this.root = root;
    removals.push(remove);
  }

  run(command: string, ...args: readonly string[]) {
    const all = [...PROGRAM, ...command.split(" "), this.root, ...args];
    const env = { PATH: process.env.PATH, HOME: tmpdir(), GIT_CONFIG_GLOBAL: "/dev/null" };
    const { exitCode, stdout, stderr } = Bun.spawnSync(all, { env, cwd: this.root });
    return { exitCode, output: stdout.toString(), errors: stderr.toString() };
  }

  git(...args: readonly string[]): void {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    const { exitCode, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd: this.root });
    if (exitCode !== 0) throw new Error(stderr.toString());
  }

  commit(): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", "change");
  }

  write(files: Readonly<Record<string, string>>): void {
    writeFiles(this.root, files);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  replace(path: string, old: string, replacement: string): void {
    writeFileSync(join(this.root, path), this.read(path).replace(old, replacement));
  }

  remove(path: string): void {
    rmSync(join(this.root, path));
  }

  sql(sql: string): unknown[] {
    const database = new Database(join(this.root, ".galley/content.db"));
    try {
      return database.query(sql).values();
    } finally {
      database.close();
    }
  }
}
