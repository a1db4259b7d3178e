/** Links to users, who are in no file: a clone of a project has them only once they are in its own database. */
import { expect, test } from "bun:test";
import { USER } from "../../../src/engine/schema/builtin/index.ts";
import { configFile, relation, typeFile } from "../../project.ts";
import { SyncedProject } from "./synced-project.ts";

const toUser = (kind: string, options = {}) => ({ type: "relation", relation: kind, target: USER, ...options });
const ORDER = "orders/first.yaml";
const TEXT = [
  "$id: k4y2mzq0ud6f3p8tq1wbs9ra",
  "$createdAt: 2026-01-31T10:00:00.000Z",
  "number: first",
  "owner: users/ada",
  "readers:",
  "  - users/ada",
  "  - users/bob",
  "",
].join("\n");

const files = (owner = {}) => ({
  ...typeFile("order", {
    number: { type: "string" },
    owner: toUser("manyToOne", owner),
    readers: toUser("manyToMany"),
  }),
  ...configFile({ users: [{ username: "bob", email: "bob@example.org" }] }),
});

for (const [name, owner] of [
  ["a link to a user who is missing is left out with a warning, and stays in the file", {}],
  ["a required one, too", { required: true }],
] as const)
  test(name, async () => {
    await using project = new SyncedProject(files(owner));
    project.write(ORDER, TEXT);
    const { applied, problems, warnings } = await project.sync();
    expect({ applied, problems }).toEqual({ applied: 1, problems: [] });
    expect(warnings).toContainEqual({ file: ORDER, line: 4, key: "owner", reason: 'there is no user "ada"' });
    expect(warnings).toContainEqual({ file: ORDER, line: 6, key: "readers.0", reason: 'there is no user "ada"' });
    const id = "k4y2mzq0ud6f3p8tq1wbs9ra";
    const populate = { owner: true, readers: true };
    const read = () => project.service("order").findOne({ documentId: id, populate });
    expect(await read()).toMatchObject({ owner: null, readers: [{ username: "bob" }] });
    await project.update("order", id, { number: "second" });
    await project.sync();
    expect(project.read(ORDER)).toContain(
      TEXT.slice(TEXT.indexOf("number")).replace("number: first", "number: second"),
    );
  });

test("a link to a missing document is an error still", async () => {
  await using project = new SyncedProject(
    typeFile("order", { number: { type: "string" }, next: relation("manyToOne", "order") }),
  );
  project.write(ORDER, "number: first\nnext: users/ada\n");
  const { problems } = await project.pass();
  expect(problems).toEqual([{ file: ORDER, line: 2, key: "next", reason: 'there is no document "users/ada"' }]);
});
