/** A served project whose `content/` is synchronised and in a git repository. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import type { ContentSyncService } from "../../../src/server/content-sync/service.ts";
import { type RunningProject, runProject } from "../../../src/server/running.ts";
import { type Ask, askAs, signedIn } from "../../admin/signed-in.ts";
import { configFile, projectFolder } from "../../project.ts";
import { until } from "../../until.ts";

export interface ProjectInGit {
  readonly root: string;
  readonly running: RunningProject;
  readonly ask: Ask;
  readonly git: (...args: readonly string[]) => string;
  readonly service: (name: string) => DocumentService;
  readonly path: (file: string) => string;
  readonly read: (file: string) => string;
  readonly write: (file: string, text: string) => void;
  /** Waits until there is such a file below `content/`. */
  readonly written: (file: string, text?: string) => Promise<void>;
  /** Does both before anything is synchronised. */
  readonly atOnce: (change: () => Promise<unknown>) => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

export interface Options {
  readonly memory?: boolean;
  /** Whether there is a repository. */
  readonly hasGit?: boolean;
  /** Where the project is in the repository. */
  readonly below?: string;
  /** ADMIN_JWT_SECRET. */
  readonly key?: string;
}

export async function projectInGit(
  files: Readonly<Record<string, string>>,
  { memory = false, hasGit = true, below = "", key = "a key for tests of changes" }: Options = {},
): Promise<ProjectInGit> {
  const all = { ...configFile(), "content/README.md": "Content.\n", ".gitignore": ".galley\nuploads\n", ...files };
  const { root: top, remove } = projectFolder(
    Object.fromEntries(Object.entries(all).map(([path, text]) => [join(below, path), text])),
  );
  const root = join(top, below);
  const git = (...args: readonly string[]): string => {
    const settings = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...settings, ...args], { cwd: top });
    if (exitCode !== 0) throw new Error(stderr.toString());
    return stdout.toString();
  };
  if (hasGit) git("init", "--quiet");
  const running = await runProject(root, {
    memory,
    publicRead: true,
    environment: { ADMIN_JWT_SECRET: key },
    admin: () => true,
    watch: true,
    report: () => {},
  });
  const path = (file: string): string => join(root, "content", file);
  const read = (file: string): string => readFileSync(path(file), "utf8");
  return {
    root,
    running,
    ask: askAs(running, await signedIn(running, key)),
    git,
    service: (name) => {
      const { context, model } = running.project();
      return new DocumentService(context, contentType(model, `api::${name}.${name}`));
    },
    path,
    read,
    write: (file, text) => {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), text);
    },
    written: (file, text = "") =>
      until(`${file} is written`, () => existsSync(path(file)) && read(file).includes(text)),
    atOnce: async (change) => {
      const sync = running.project().reloader.contentSync?.() as ContentSyncService;
      await sync.pause();
      await change();
      sync.resume();
    },
    [Symbol.asyncDispose]: async () => {
      await running.close();
      remove();
      rmSync(top, { recursive: true, force: true });
    },
  };
}
