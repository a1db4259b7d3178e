/** What the library entries are where there is no Bun. */
throw new Error(
  "galley-cms runs inside of programs on Bun only (https://bun.sh). On Node.js, start the command instead: npx galley serve",
);
