import { tmpdir } from "node:os";

/** The folders of a name that processes of Galley have at the moment. */
export const temporaryFolders = (name: string): readonly string[] => [
  ...new Bun.Glob(`galley-*/${name}-*`).scanSync({ cwd: tmpdir(), onlyFiles: false }),
];
