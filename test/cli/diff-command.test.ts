/** `galley diff` against commits, an archive and a running server. */
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../src/server/app.ts";
import { openProject } from "../../src/server/project/project.ts";
import { PROGRAM } from "../program.ts";
import { TOKEN } from "../project.ts";
import { ContentProject, removeProjects, VALID } from "./content-project.ts";

const scratch = mkdtempSync(join(tmpdir(), "galley-diff-test-"));
afterAll(() => {
  removeProjects();
  rmSync(scratch, { recursive: true, force: true });
});

/** Synchronised and committed. */
function createProject(): ContentProject {
  const project = new ContentProject({ ...VALID, ".gitignore": ".galley\npublic\n" });
  project.git("init", "-q", "-b", "main");
  project.run("content apply");
  project.commit();
  return project;
}

async function runDiff(project: ContentProject, ...args: readonly string[]) {
  const child = Bun.spawn([...PROGRAM, "diff", ...args], { cwd: project.root, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { output, errors, exitCode: await child.exited };
}

function edit(project: ContentProject): void {
  project.replace("content/articles/one.yaml", "One", "Uno");
  project.replace("content/articles/one.yaml", "  - label: x\n", "  - label: w\n  - label: x\n");
  project.write({ "content/authors/bob.yaml": "name: Bob\n" });
  project.remove("content/articles/two.yaml");
}

const EDITED = `changed  content/articles/one.yaml
  ~ title: "One" → "Uno", published
  + parts[0]: {"label":"w"}, published
removed  content/articles/two.yaml
added    content/authors/bob.yaml
`;

describe("with git", () => {
  test("the working files are compared with the last commit, another one, and two commits with each other", async () => {
    const project = createProject();
    expect(await runDiff(project)).toEqual({ output: "", errors: "", exitCode: 0 });
    edit(project);
    expect(await runDiff(project)).toEqual({ output: EDITED, errors: "", exitCode: 0 });
    project.commit();
    expect((await runDiff(project)).output).toBe("");
    expect((await runDiff(project, "main~1")).output).toBe(EDITED);
    expect((await runDiff(project, "main~1..main")).output).toBe(EDITED);
    expect((await runDiff(project, "main~1..")).output).toBe(EDITED);
    const { documents } = JSON.parse((await runDiff(project, "main..main~1", "--json")).output);
    expect(documents[0]).toMatchObject({
      file: "articles/one.yaml",
      change: "changed",
      documentId: expect.stringMatching(/^[a-z0-9]{24}$/),
      differences: [{ path: ["title"], before: "Uno", after: "One", isPublished: true }, { path: ["parts"] }],
    });
  });

  test("a renamed file is the same document, comments and order are no changes, and media are compared as a whole", async () => {
    const project = createProject();
    project.git("mv", "content/articles/two.yaml", "content/articles/renamed.yaml");
    project.replace("content/articles/one.yaml", "title: One\nsize: 3\n", "# size first\nsize: 3\ntitle: One\n");
    project.write({ "content/media/a.txt": "other", "content/media/b.txt": "new", "content/README.md": "# Read\n" });
    project.replace("content/media/a.txt.yaml", "name: a.txt", "name: A");
    expect((await runDiff(project)).output).toBe(`renamed  content/articles/renamed.yaml (was content/articles/two.yaml)
changed  content/media/a.txt
changed  content/media/a.txt.yaml
  ~ name: "a.txt" → "A"
added    content/media/b.txt
`);
  });

  test("a file that cannot be read is named, with its line, and not compared", async () => {
    const project = createProject();
    project.replace("content/articles/one.yaml", "title: One", "<<<<<<< x\ntitle: One");
    const { output, exitCode } = await runDiff(project);
    expect(output).toMatch(/^content\/articles\/one\.yaml:\d: a merge is not resolved: <<<<<<< x\n$/);
    expect(exitCode).toBe(1);
  });

  test("a project below the root of the repository", async () => {
    const outer = new ContentProject({});
    const project = new ContentProject(VALID);
    cpSync(project.root, join(outer.root, "inner"), { recursive: true });
    outer.git("init", "-q");
    outer.commit();
    outer.write({ "inner/content/authors/bob.yaml": "name: Bob\n" });
    expect((await runDiff(outer, "inner")).output).toBe("added    content/authors/bob.yaml\n");
    expect((await runDiff(outer, "HEAD", "inner")).output).toBe("added    content/authors/bob.yaml\n");
  });

  test("an unknown reference is named, with how to get it", async () => {
    const { errors, exitCode } = await runDiff(createProject(), "nowhere");
    expect(errors).toMatch(/^galley: git has no commit "nowhere" here; git fetch .* --unshallow\n$/);
    expect(exitCode).toBe(1);
  });

  test("a repository without a commit has nothing to compare with", async () => {
    const project = new ContentProject(VALID);
    project.git("init", "-q");
    const { errors, exitCode } = await runDiff(project);
    expect(errors).toBe("galley: there is no commit yet: git commit makes the one to compare with\n");
    expect(exitCode).toBe(1);
  });
});

test("an archive is compared by documents, whatever it calls their files", async () => {
  const project = createProject();
  project.git("mv", "content/articles/one.yaml", "content/articles/renamed.yaml");
  project.git("mv", "content/authors/ada.yaml", "content/authors/lovelace.yaml");
  project.replace("content/articles/renamed.yaml", "authors/ada", "authors/lovelace");
  project.run("content apply");
  const archive = join(scratch, "content.tar");
  Bun.spawnSync([...PROGRAM, "export", archive, project.root]);
  expect(await runDiff(project, archive)).toEqual({ output: "", errors: "", exitCode: 0 });
  project.git("mv", "content/articles/renamed.yaml", "content/articles/one.yaml");
  edit(project);
  expect(await runDiff(project, archive)).toEqual({ output: EDITED, errors: "", exitCode: 0 });
  expect((await runDiff(project, join(scratch, "none.tar"))).errors).toContain("there is no archive");
});

test("a running server is read with an API token", async () => {
  const project = createProject();
  const root = join(scratch, "server");
  cpSync(project.root, root, { recursive: true });
  const source = openProject(root, { memory: false, publicRead: false, environment: {} });
  await source.idle();
  const app = createApp(source);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => app.handle(request) });
  try {
    const url = `http://127.0.0.1:${server.port}`;
    const equal = await runDiff(project, url, "--token", TOKEN);
    expect({ ...equal, errors: "" }).toEqual({ output: "", errors: "", exitCode: 0 });
    edit(project);
    expect((await runDiff(project, url, "--token", TOKEN)).output).toBe(EDITED);
    expect((await runDiff(project, url)).errors).toContain("--token or GALLEY_REMOTE_TOKEN");
  } finally {
    await server.stop(true);
    await source.close();
  }
});
