import { resolve } from "node:path";

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
