const { createGalley } = require("galley-cms/test");
const { tests } = require("../suite.cjs");

// concurrent tests of Jest begin before its hooks
const project = createGalley({ project: "../magazine", publicRead: true });
afterAll(async () => (await project).close());

for (const [name, run] of Object.entries(tests))
  test.concurrent(name, async () => {
    const branch = await (await project).branch();
    await run(branch);
    await branch.close();
  });
