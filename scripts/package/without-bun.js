/** What the library entries are where there is no Bun. Their names are exported so that an import of one gets as far as this. */
export let ApiError, ProjectError, createGalley, galley;
throw new Error(
  "galley-cms runs inside of programs on Bun only (https://bun.sh). On Node.js, import createGalley from galley-cms/test in tests, or start the command: npx galley serve",
);
