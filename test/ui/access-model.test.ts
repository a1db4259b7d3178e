/** The table of permissions. */
import { expect, test } from "bun:test";
import { actionTable } from "../../src/ui/access/access-model.ts";

test("types are in the order of the navigation: 2 before 10", () => {
  const names = ["kind-10", "kind-2", "Author"];
  const permissions = Object.fromEntries(
    names.map((name) => [`api::${name}`, { controllers: { [name]: { find: {} } } }]),
  );
  const access = { source: { file: "" }, roles: [], permissions, usersInFile: [], tokensInFile: [], defaultRole: "" };
  expect(actionTable(access, []).types.map(({ label }) => label)).toEqual(["Author", "kind-2", "kind-10"]);
});
