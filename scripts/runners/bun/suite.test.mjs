import { afterAll, beforeAll, test } from "bun:test";
import { createGalley } from "galley-cms/test";
import { tests } from "../suite.cjs";

let galley;
beforeAll(async () => {
  galley = await createGalley({ project: "../magazine", publicRead: true });
});
afterAll(() => galley.close());

for (const [name, run] of Object.entries(tests))
  test.concurrent(name, async () => {
    const branch = await galley.branch();
    await run(branch);
    await branch.close();
  });
