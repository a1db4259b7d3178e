import { test as base } from "@playwright/test";
import { createGalley } from "galley-cms/test";
import { tests } from "../suite.cjs";

const test = base.extend({
  project: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern
    async ({}, use) => {
      const project = await createGalley({ project: "../magazine", publicRead: true });
      await use(project);
      await project.close();
    },
    { scope: "worker" },
  ],
  galley: async ({ project }, use) => {
    const branch = await project.branch();
    await use(branch);
    await branch.close();
  },
});
test.describe.configure({ mode: "parallel" });

for (const [name, run] of Object.entries(tests)) test(name, ({ galley }) => run(galley));
