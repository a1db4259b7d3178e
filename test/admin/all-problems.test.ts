/** `Prefer: all-problems`: what keeps a document from being published is named at once, not only what its draft may not have. */
import { expect, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { type Body, componentFile, projectFolder, typeFile } from "../project.ts";
import { AUTHORIZATION, adminConfigFile, openAsAdmin } from "./admin-token.ts";

const UID = "api::strict.strict";
const STRICT = `/content-manager/collection-types/${UID}`;
const folder = projectFolder({
  ...componentFile("parts.quote", { text: { type: "string", required: true }, votes: { type: "biginteger" } }),
  ...typeFile(
    "strict",
    {
      code: { type: "string", regex: "^[a-z]+$" },
      mail: { type: "email" },
      big: { type: "biginteger" },
      name: { type: "string", required: true },
      secret: { type: "password" },
      quotes: { type: "component", component: "parts.quote", repeatable: true },
    },
    { draftAndPublish: true },
  ),
  ...adminConfigFile({}),
});

let galley: Galley;
openAsAdmin(folder, (opened) => {
  ({ galley } = opened);
});

async function publish(
  path: string,
  body: object,
  headers: Record<string, string> = { prefer: "all-problems" },
): Promise<Body> {
  const init = {
    method: "POST",
    headers: { ...AUTHORIZATION, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
  const response = await galley.handle(new Request(`http://localhost${STRICT}${path}/actions/publish`, init));
  return response.json();
}

const messages = ({ error }: Body): string[] => error.details.errors.map(({ message }: Body) => message);
const wrong = { code: "A", mail: "a", big: "1x", name: "a", secret: "words" };
const big = "big must be a valid integer";
const others = ['code must match the following: "/^[a-z]+$/"', "mail must be a valid email"];

test("a new document: nothing of it is stored", async () => {
  const refused = await publish("", wrong);
  expect(messages(refused)).toEqual([big, ...others]);
  expect(refused.error).toMatchObject({ status: 400, name: "ValidationError", message: "3 errors occurred" });
  expect(messages(await publish("", wrong, {}))).toEqual([big]);
  expect(await galley.documents(UID).count({})).toBe(0);
});

test("a draft, with what it lacks and its components: it stays as it is", async () => {
  const { documentId } = await galley.documents(UID).create({ data: { code: "B", name: null } });
  const quotes = [{ text: "said" }, { votes: "many" }];
  const refused = await publish(`/${documentId}`, { mail: "a", big: "1x", quotes });
  expect(messages(refused).toSorted()).toEqual(
    [
      "name must be a `string` type, but the final value was: `null`.",
      big,
      "quotes[1].votes must be a valid integer",
      ...others,
    ].toSorted(),
  );
  expect(refused.error.details.errors.map(({ path }: Body) => path)).toContainEqual(["quotes", "1", "votes"]);
  const populate = "*";
  const stored = await galley.documents(UID).findOne({ documentId: documentId as string, populate });
  expect(stored).toMatchObject({ code: "B", mail: null, big: null, quotes: [] });
});

test("what is only wrong for the draft, and what is right, are as without it", async () => {
  expect(messages(await publish("", { name: "a", big: "x" }))).toEqual([big]);
  expect((await publish("", { name: "a", big: "1", secret: "words" })).data).toMatchObject({ name: "a", big: "1" });
  // another error than of validation, once the refused attribute is gone
  const unknown = await publish("", { name: "a", big: "x", nothing: 1 });
  expect(unknown.error.name).toBe("ValidationError");
});
