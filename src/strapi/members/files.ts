/** The files and folders of a project, as `strapi` has them. */
import { appendFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, posix, resolve } from "node:path";

type Path = string | readonly string[];
type Content = string | Uint8Array;

/** `strapi.fs`: writes and removes files below the project's folder. */
export function createFiles(root: string) {
  /** As in Strapi, steps out of the project are removed from the start of a path. */
  const absolute = (path: Path): string => {
    const joined = typeof path === "object" ? path.join("/") : path;
    const inside = posix.normalize(joined).replace(/^\/?(?:\.\.?\/)+/, "");
    return resolve(root, inside);
  };
  const files = {
    writeAppFile(path: Path, data: Content): Promise<void> {
      const file = absolute(path);
      return mkdir(dirname(file), { recursive: true }).then(() => writeFile(file, data));
    },
    writePluginFile: (plugin: string, path: Path, data: Content): Promise<void> =>
      files.writeAppFile(["extensions", plugin, path].flat(), data),
    removeAppFile: (path: Path): Promise<void> => rm(absolute(path), { recursive: true, force: true }),
    /** Synchronous; the folder must exist. */
    appendFile: (path: Path, data: Content): void => appendFileSync(absolute(path), data),
  };
  return files;
}

/** `strapi.dirs`: the folders of a project. */
export function createDirs(root: string, publicFolder: string) {
  const below = (base: string) => ({
    root: base,
    src: `${base}/src`,
    api: `${base}/src/api`,
    components: `${base}/src/components`,
    extensions: `${base}/src/extensions`,
    policies: `${base}/src/policies`,
    middlewares: `${base}/src/middlewares`,
    config: `${base}/config`,
  });
  return { app: below(root), dist: below(root), static: { public: resolve(root, publicFolder) } };
}
