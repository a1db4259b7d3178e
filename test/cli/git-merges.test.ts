/** Merges of content files by a real git, with the merge driver and without. */
import { afterAll, describe, expect, test } from "bun:test";
import { type Files, Repository } from "../../scripts/content-merge/repository.ts";
import { run } from "../../scripts/content-merge/run.ts";
import { PROGRAM } from "../program.ts";

const repositories: Repository[] = [];
afterAll(() => {
  for (const repository of repositories) repository.remove();
});

function createRepository(): Repository {
  const repository = new Repository();
  repositories.push(repository);
  repository.setUp();
  return repository;
}

const files = (text: string, ...paths: readonly string[]) => new Map(paths.map((path) => [path, text]));

test("random pairs of edits: different fields are merged, the same field is a conflict, without the driver documents are apart", () => {
  const { different, same, apart, failures } = run(20, 33);
  expect(failures).toEqual([]);
  expect([different, same, apart]).toEqual([20, 20, 20]);
}, 120_000);

describe("the driver", () => {
  test("merges documents, and files beside media", () => {
    const paths = ["content/articles/a.yaml", "content/page.yml", "content/media/deep/x.jpg.yaml"];
    const repository = createRepository();
    const { isClean } = repository.merge(
      files("a: 1\nb: 1\n", ...paths),
      files("a: 2\nb: 1\n", ...paths),
      files("a: 1\nb: 2\n", ...paths),
    );
    expect(isClean).toBe(true);
    expect(paths.map((path) => repository.read(path))).toEqual(paths.map(() => "a: 2\nb: 2\n"));
  });

  test("leaves other files to git: media, READMEs, and those outside of content/", () => {
    const paths = ["content/media/a.json", "content/README.md", "content/articles/README.md", "notes.yaml"];
    const repository = createRepository();
    const { conflicts } = repository.merge(
      files("a: 1\nb: 1\n", ...paths),
      files("a: 2\nb: 1\n", ...paths),
      files("a: 1\nb: 2\n", ...paths),
    );
    expect([...conflicts].sort()).toEqual([...paths].sort());
    for (const path of paths) expect(repository.read(path)).toContain("a: 2\nb: 1\n=======\na: 1\nb: 2\n");
  });

  test("merges by lines what is not valid, and loses nothing", () => {
    const [clean, conflicting] = ["content/articles/clean.yaml", "content/articles/conflicting.yaml"];
    const repository = createRepository();
    const { conflicts } = repository.merge(
      new Map([
        [clean, "a: [\n\n\n\nb: 1\n"],
        [conflicting, "a: [\n"],
      ]),
      new Map([
        [clean, "a: [ 1\n\n\n\nb: 1\n"],
        [conflicting, "a: [ ours\n"],
      ]),
      new Map([
        [clean, "a: [\n\n\n\nb: 2\n"],
        [conflicting, "a: [ theirs\n"],
      ]),
    );
    expect([...conflicts]).toEqual([conflicting]);
    expect(repository.read(clean)).toBe("a: [ 1\n\n\n\nb: 2\n");
    expect(repository.read(conflicting)).toBe("<<<<<<< ours\na: [ ours\n=======\na: [ theirs\n>>>>>>> theirs\n");
  });

  test("keeps bytes that are not UTF-8", () => {
    const path = "content/articles/a.yaml";
    const repository = createRepository();
    const write = (text: string) => new Map([[path, Buffer.from(text, "latin1")]]);
    const { isClean } = repository.merge(
      write("a: ü\n\n\n\nb: 1\n"),
      write("a: ö\n\n\n\nb: 1\n"),
      write("a: ü\n\n\n\nb: 2\n"),
    );
    expect(isClean).toBe(true);
    expect(repository.readBytes(path).toString("latin1")).toBe("a: ö\n\n\n\nb: 2\n");
  });
});

describe("where the driver cannot run, git merges by lines, and leaves nothing of a side out", () => {
  const [clean, conflicting] = ["content/articles/clean.yaml", "content/articles/conflicting.yaml"];
  const sides = (text: string, value: number): Files =>
    new Map([
      [clean, text],
      [conflicting, `a: ${value}\n`],
    ]);
  const missing: readonly [name: string, change: (driver: string) => string][] = [
    ["Galley is no longer at its place", (driver) => driver.replace(/^'[^']+'/, "'/nowhere/galley'")],
    ["Galley fails", (driver) => driver.replace(/^.*%P/, "sh -c 'exit 2'")],
  ];
  for (const [name, change] of missing)
    test(name, () => {
      const repository = createRepository();
      const driver = repository.git("config", "merge.galley.driver").trim();
      repository.git("config", "merge.galley.driver", change(driver));
      const { conflicts } = repository.merge(
        sides("a: 1\n\n\n\nb: 1\n", 0),
        sides("a: 2\n\n\n\nb: 1\n", 1),
        sides("a: 1\n\n\n\nb: 2\n", 2),
      );
      expect([...conflicts]).toEqual([conflicting]);
      expect(repository.read(clean)).toBe("a: 2\n\n\n\nb: 2\n");
      expect(repository.read(conflicting)).toBe("<<<<<<< ours\na: 1\n=======\na: 2\n>>>>>>> theirs\n");
    });
});

test("a driver that cannot read its files fails otherwise than with a conflict", () => {
  const repository = createRepository();
  const command = [...PROGRAM, "merge-driver", "none", "none", "none", "content/a.yaml"];
  expect(Bun.spawnSync(command, { cwd: repository.folder }).exitCode).toBe(2);
});

describe("content setup-git", () => {
  test("adds its lines once, and keeps those of others", () => {
    const repository = createRepository();
    const attributes = repository.read(".gitattributes");
    expect(repository.galley("content", "setup-git", ".")).toContain("has its lines already");
    expect(repository.read(".gitattributes")).toBe(attributes);
    repository.commit(files("*.png binary", ".gitattributes"));
    repository.galley("content", "setup-git", ".");
    expect(repository.read(".gitattributes")).toBe(`*.png binary\n${attributes}`);
  });

  test("needs a repository", () => {
    const repository = createRepository();
    repository.removeGit();
    expect(() => repository.galley("content", "setup-git", ".")).toThrow("not a git repository");
  });
});
