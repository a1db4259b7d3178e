/** What git is doing to a working tree: files that it is about to replace are neither read nor written. */
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** In git's folder while a command runs, and between the steps of one that makes several commits. */
const MARKS: readonly (readonly [name: string, reason: string])[] = [
  // a killed git leaves it
  ["index.lock", "git is changing its files, or has left index.lock behind"],
  ["rebase-merge", "a rebase is not finished"],
  ["rebase-apply", "a rebase is not finished"],
  ["sequencer", "a cherry-pick or revert is not finished"],
];

/** The folder of the working tree that contains `path`; of a worktree or submodule, the one that its file `.git` names. */
function gitFolder(path: string): string | undefined {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    const stats = lstatSync(git, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return git;
    const named = stats?.isFile() ? /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1] : undefined;
    if (named !== undefined) return resolve(folder, named);
    if (stats || folder === dirname(folder)) return undefined;
  }
}

/** Why the files of a folder are not to be read or written now; undefined if they are. */
export function gitActivity(path: string): string | undefined {
  const git = gitFolder(path);
  return git === undefined ? undefined : MARKS.find(([name]) => existsSync(join(git, name)))?.[1];
}
