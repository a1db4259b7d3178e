/** `galley content check`, `content apply` and `status`, on projects with files of documents. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lockContent } from "../../src/server/content-sync/lock.ts";
import { PROGRAM } from "../program.ts";
import { ContentProject, removeProjects, VALID } from "./content-project.ts";

const BROKEN = {
  "content/articles/day.yaml": "title: Day\nday: yesterday\n",
  "content/articles/four.yaml": "title: [\n",
  "content/articles/part.yaml": "title: Part\nparts:\n  - since: never\n",
  "content/articles/three.yaml": "title: Three\nauthor: authors/missing\n",
  "content/articles/unknown.yaml": "title: Unknown\nhuh: 1\n",
  "content/articles/void.yaml": "title: Void\nsize: x\n",
  "content/foo/x.yaml": "a: 1\n",
};

afterAll(removeProjects);

describe("content check", () => {
  test("prints every problem with file and line, and fails", () => {
    const { exitCode, output } = new ContentProject({ ...VALID, ...BROKEN }).run("content check");
    expect(output.split("\n")).toEqual([
      expect.stringMatching(/^content\/articles\/four\.yaml:2: /),
      "content/articles/day.yaml:2: day: Invalid format, expected yyyy-MM-dd",
      "content/articles/part.yaml: since: Invalid format, expected yyyy-MM-dd",
      'content/articles/three.yaml:2: author: there is no document "authors/missing"',
      expect.stringMatching(/^content\/articles\/void\.yaml:2: size: /),
      "warning: content/foo/: is named after no content-type",
      "",
    ]);
    expect(exitCode).toBe(1);
  });

  test("prints annotations for GitHub", () => {
    const { exitCode, output } = new ContentProject({ ...VALID, ...BROKEN }).run("content check", "--format", "github");
    expect(output).toContain(
      '::error file=content/articles/three.yaml,line=2::author: there is no document "authors/missing"\n',
    );
    expect(output).toContain("::warning file=content/foo::is named after no content-type\n");
    expect(exitCode).toBe(1);
  });

  test("of a project below the root of the repository, annotations have paths from there", () => {
    const { root } = new ContentProject({ ...VALID, ...BROKEN });
    const command = [...PROGRAM, "content", "check", "--format", "github"];
    const { stdout } = Bun.spawnSync(command, { cwd: root, env: { ...process.env, GITHUB_WORKSPACE: dirname(root) } });
    expect(stdout.toString()).toContain(`::warning file=${basename(root)}/content/foo::is named`);
  });

  test("accepts valid files, names unknown keys, and writes nothing", () => {
    const project = new ContentProject({
      ...VALID,
      "content/articles/unknown.yaml": BROKEN["content/articles/unknown.yaml"],
    });
    const before = readdirSync(project.root);
    const { exitCode, output } = project.run("content check", "--format", "json");
    expect(project.run("content check", "--json")).toEqual({ exitCode, output, errors: expect.any(String) });
    expect(project.run("content check", "--json", "--format", "github").errors).toContain("cannot be combined");
    expect(JSON.parse(output)).toEqual({
      problems: [],
      warnings: [
        { file: "articles/unknown.yaml", line: 2, key: "huh", reason: "api::article.article has no such attribute" },
      ],
    });
    expect(exitCode).toBe(0);
    expect(readdirSync(project.root)).toEqual(before);
    expect(project.run("content check").output).toContain("5 files are valid");
  });

  test("refuses unknown formats, and projects without content/", () => {
    expect(new ContentProject(VALID).run("content check", "--format", "xml").errors).toContain(
      'text, github, json, not "xml"',
    );
    const { errors } = new ContentProject({}).run("content check");
    expect(errors).toMatch(/there is no folder \S+content; galley export --to content writes a file for each/);
  });
});

describe("content apply", () => {
  test("brings files into the database, and what it has into files", () => {
    const project = new ContentProject(VALID);
    expect(project.run("content apply").exitCode).toBe(0);
    expect(project.read("content/articles/one.yaml")).toStartWith("$id: ");
    project.replace("content/articles/one.yaml", "One", "Uno");
    project.sql("UPDATE articles SET title = 'Zwei' WHERE title = 'Two'");
    expect(project.run("content apply").output).toStartWith("database: 1 changed, 0 removed; files: 1 written\n");
    expect(project.sql("SELECT DISTINCT title FROM articles ORDER BY title")).toEqual([["Uno"], ["Zwei"]]);
    expect(project.read("content/articles/two.yaml")).toContain("title: Zwei\n");
  });

  test("prints what it did as JSON", () => {
    const project = new ContentProject({ ...VALID, "content/articles/void.yaml": "title: Void\nsize: x\n" });
    const refused = JSON.parse(project.run("content apply", "--json").output);
    expect(refused).toMatchObject({ problems: [{ file: "articles/void.yaml", line: 2, key: "size" }] });
    project.remove("content/articles/void.yaml");
    const { exitCode, output } = project.run("content apply", "--json");
    expect(exitCode).toBe(0);
    const facts = JSON.parse(output);
    expect(facts).toMatchObject({ deleted: 0, problems: [], unwritten: [], warnings: [], conflicts: [] });
    expect(facts.applied).toBeGreaterThan(0);
  });

  test("changes nothing while a file is not valid", () => {
    const project = new ContentProject(VALID);
    project.run("content apply");
    project.replace("content/articles/one.yaml", "One", "Uno");
    project.write({ "content/articles/void.yaml": "title: Void\nsize: x\n" });
    const { exitCode, output } = project.run("content apply");
    expect(exitCode).toBe(1);
    expect(output).toContain("content/articles/void.yaml:2: size: ");
    expect(project.sql("SELECT count(*) FROM articles WHERE title = 'Uno'")).toEqual([[0]]);
  });

  test("deletes many documents only with --yes", () => {
    const authors = Object.fromEntries(
      ["a", "b", "c", "d"].map((name) => [`content/authors/${name}.yaml`, `name: ${name}\n`]),
    );
    const project = new ContentProject(authors);
    project.run("content apply");
    for (const name of ["a", "b", "c"]) project.remove(`content/authors/${name}.yaml`);
    const refused = project.run("content apply");
    expect(refused.exitCode).toBe(1);
    expect(refused.output).toContain("galley content apply --yes");
    expect(project.sql("SELECT count(*) FROM authors")).toEqual([[4]]);
    expect(project.run("content apply", "--yes").output).toStartWith(
      "database: 0 changed, 3 removed; files: 0 written\n",
    );
    expect(project.sql("SELECT name FROM authors")).toEqual([["d"]]);
  });

  test("leaves the files to a server that runs, and deletes what that server refuses to", () => {
    const authors = ["a", "b", "c", "d"].map((name) => [`content/authors/${name}.yaml`, `name: ${name}\n`]);
    const project = new ContentProject(Object.fromEntries(authors));
    project.run("content apply");
    for (const name of ["a", "b", "c"]) project.remove(`content/authors/${name}.yaml`);
    const before = project.read("content/authors/d.yaml");
    project.sql("UPDATE authors SET name = 'D' WHERE name = 'd'");
    const lock = lockContent(project.root)!;
    try {
      const { output } = project.run("content apply", "--yes");
      expect(output).toBe("database: 0 changed, 3 removed; files: written by the server that runs\n");
      expect(project.read("content/authors/d.yaml")).toBe(before);
    } finally {
      lock.release();
    }
    expect(project.run("content apply").output).toStartWith("database: 0 changed, 0 removed; files: 1 written\n");
    expect(project.read("content/authors/d.yaml")).toBe(before.replace("name: d", "name: D"));
  });

  test("waits for git", () => {
    const project = new ContentProject({ ...VALID, ".git/index.lock": "" });
    expect(project.run("content apply").errors).toContain("git is changing its files");
  });
});

describe("status", () => {
  test("shows the fields that differ on either side, problems, and what git has not committed", () => {
    const project = new ContentProject({ ...VALID, ".gitignore": ".galley\npublic\n" });
    project.run("content apply");
    project.git("init", "-q");
    project.commit();
    expect(project.run("status")).toMatchObject({ exitCode: 0, output: "Files and database are equal.\n" });

    project.replace("content/articles/one.yaml", "  - label: x\n", "  - label: x\n  - label: y\n");
    project.replace("content/articles/one.yaml", "size: 3", "size: 4");
    project.write({
      "content/articles/new.yaml": "title: New\n",
      "content/articles/void.yaml": "title: Void\nsize: x\n",
    });
    project.remove("content/authors/ada.yaml");
    project.sql("UPDATE articles SET title = 'Zwei' WHERE title = 'Two'");
    project.sql("UPDATE files SET caption = 'Hi'");
    const before = readFileSync(join(project.root, ".galley/content.db"));
    const { exitCode, output } = project.run("status");
    expect(output).toBe(`Changed in files, and not in the database:
  added    content/articles/new.yaml
  changed  content/articles/one.yaml
    ~ size: 3 → 4, published
    + parts[1]: {"label":"y"}, published
  added    content/articles/void.yaml
  removed  content/authors/ada.yaml

Changed in the database, and not in files:
  changed  content/articles/two.yaml
    ~ title: "Two" → "Zwei"
  changed  content/media/a.txt.yaml
    + caption: "Hi"

Problems:
  content/articles/void.yaml:2: size: size must be a \`number\` type, but the final value was: \`NaN\` (cast from the value \`"x"\`).

Not committed:
  added    content/articles/new.yaml
  changed  content/articles/one.yaml
  added    content/articles/void.yaml
  removed  content/authors/ada.yaml
`);
    expect(exitCode).toBe(1);
    expect(readFileSync(join(project.root, ".galley/content.db")).equals(before)).toBe(true);
  });

  test("names what both changed, as long as it is not resolved", () => {
    const project = new ContentProject(VALID);
    project.run("content apply");
    project.replace("content/articles/two.yaml", "Two", "Deux");
    project.sql("UPDATE articles SET title = 'Zwei' WHERE title = 'Two'");
    const conflicts = [{ file: "articles/two.yaml", attributes: ["title"] }];
    expect(JSON.parse(project.run("status", "--json").output)).toMatchObject({ conflicts, uncommitted: null });
    project.run("content apply");
    const { files, database, ...rest } = JSON.parse(project.run("status", "--json").output);
    expect([files, database]).toEqual([[], []]);
    expect(rest.conflicts).toEqual(conflicts);
  });

  test("a file that cannot be read is a problem, and not equal", () => {
    const project = new ContentProject(VALID);
    project.run("content apply");
    project.replace("content/articles/two.yaml", "title: Two", "title: [");
    const { exitCode, output } = project.run("status");
    expect(output).toMatch(/^Problems:\n {2}content\/articles\/two\.yaml:\d+: .*\n$/);
    expect(exitCode).toBe(1);
  });

  test("what git cannot say is named, and the rest is shown", () => {
    const project = new ContentProject(VALID);
    project.git("init", "-q");
    project.write({ ".git/config": "[broken" });
    const { exitCode, output } = project.run("status");
    expect(output).toContain("  added    content/articles/one.yaml\n");
    expect(output).toMatch(/Git does not say what is not committed:\n {2}git rev-parse: bad config line/);
    expect(exitCode).toBe(0);
    const { files, uncommitted, gitProblem } = JSON.parse(project.run("status", "--json").output);
    expect(files).toHaveLength(4);
    expect([uncommitted, gitProblem]).toEqual([null, expect.stringContaining("bad config line")]);
  });

  test("of a project without a database, all files are added, and none is made", () => {
    const project = new ContentProject(VALID);
    const { files, database } = JSON.parse(project.run("status", "--json").output);
    expect(files.map(({ file, change }: { file: string; change: string }) => `${change} ${file}`)).toEqual(
      ["articles/one.yaml", "articles/two.yaml", "authors/ada.yaml", "media/a.txt"].map((file) => `added ${file}`),
    );
    expect(database).toEqual([]);
    expect(existsSync(join(project.root, ".galley"))).toBe(false);
  });
});

test("names and values of files send nothing to a terminal but text", () => {
  const project = new ContentProject({
    ...VALID,
    "content/articles/\u001b]0;title\u0007.yaml": '$id: "x\\e[2J\\u202e"\ntitle: Three\nsize: three\n',
    "content/\u001b[7mother/one.yaml": "a: 1\n",
  });
  for (const command of ["status", "content check", "content apply"]) {
    const { output, errors } = project.run(command);
    expect(`${output}${errors}`.match(/[^\n\t -~\u00a0-\u2027\u2030-\uffff]/g)).toBeNull();
    expect(`${output}${errors}`).toContain("\\u001b[7mother");
  }
});
