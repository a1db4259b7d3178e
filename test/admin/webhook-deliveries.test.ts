/** The routes of the page "Webhooks": what was sent, and sending it again. Values of headers are not among the answers. */
import { afterAll, expect, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { startReceiver } from "../engine/webhooks/receiver.ts";
import { projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";
import { type Ask, openSignedIn } from "./signed-in.ts";

const KEY = "a key for tests of deliveries";
const NOTE = "api::note.note";
const SECRET = "a secret of the receiver";
let status = 200;
const receiver = startReceiver(() => new Response(null, { status }));
afterAll(() => receiver.stop());

let ask: Ask;
let galley: Galley;
openSignedIn(projectFolder(typeFile("note", { text: { type: "text" } })), KEY, (opened) => {
  ({ ask, galley } = opened);
});

const list = async () => (await ask("GET", "/webhooks")).body;
const ofWebhook = async (id: string) => (await list()).data.find((webhook: { id: string }) => webhook.id === id);
async function create(values: object = {}): Promise<string> {
  const webhook = { name: "site", url: receiver.url, headers: { "x-key": SECRET }, events: ["entry.create"] };
  return (await ask("POST", "/admin/webhooks", { ...webhook, ...values })).body.data.id;
}
const createNote = (text: string) => galley.documents(NOTE).create({ data: { text } });
/** Resolves with the last one, once there are as many. */
async function delivered(id: string, count: number) {
  await until(`${count} deliveries`, async () => (await ofWebhook(id)).deliveries.length === count);
  return (await ofWebhook(id)).deliveries[0];
}

test("a delivery is kept with what came of it, and is sent again with its body and the stored headers", async () => {
  const id = await create();
  expect((await list()).events).toContain("media.delete");
  expect(await ofWebhook(id)).toMatchObject({ headers: ["x-key"], problem: null, deliveries: [] });
  status = 503;
  await createNote("Hello");
  const failed = await delivered(id, 1);
  expect(failed).toMatchObject({ event: "entry.create", status: 503, message: "Service Unavailable", hasBody: true });
  const shown = await ask("GET", `/webhook-deliveries/${failed.id}`);
  expect(JSON.parse(shown.body.data.body)).toMatchObject({ uid: NOTE, entry: { text: "Hello" } });
  status = 204;
  const [first] = await receiver.next(1);
  const repeated = await ask("POST", `/webhook-deliveries/${failed.id}/repeat`);
  expect([repeated.status, repeated.body.data.status]).toEqual([200, 204]);
  const [again] = await receiver.next(1);
  expect(again!.body).toEqual(first!.body);
  expect(again!.headers.get("x-key")).toBe(SECRET);
  expect((await ofWebhook(id)).deliveries.map((delivery: { status: number }) => delivery.status)).toEqual([204, 503]);
  const answers = [await list(), shown, repeated, await ask("PUT", `/webhooks/${id}`, await values(id))];
  expect(JSON.stringify(answers)).not.toContain(SECRET);
});

const values = async (id: string) => {
  const { name, url, events, isEnabled } = await ofWebhook(id);
  return { name, url, events, isEnabled, headers: { "x-key": null } };
};

test("a header without a value keeps the stored one; others are set, and those left out are removed", async () => {
  const id = await create({ headers: { "x-key": SECRET, other: "gone" } });
  const headers = { "x-key": null, added: "new", constructor: null };
  const { body } = await ask("PUT", `/webhooks/${id}`, { ...(await values(id)), headers });
  expect(body.data.headers).toEqual(["x-key", "added", "constructor"]);
  const stored = (await ask("GET", `/admin/webhooks/${id}`)).body.data.headers;
  expect(stored).toEqual({ "x-key": SECRET, added: "new", constructor: "" });
  await ask("DELETE", `/admin/webhooks/${id}`);
});

test.each([
  ["no body", undefined, 400],
  ["a list", [], 400],
  ["headers that are a text", { headers: "a" }, 400],
  ["a URL that is not valid", { url: "x" }, 400],
  ["an unknown event", { events: ["x"] }, 400],
])("a change with %s: %p %d", async (_name, changes, expected) => {
  const id = await create();
  const body = Array.isArray(changes) || !changes ? changes : { ...(await values(id)), ...changes };
  const answer = await ask("PUT", `/webhooks/${id}`, body);
  expect([answer.status, answer.body.error.name]).toEqual([expected, "ValidationError"]);
  await ask("DELETE", `/admin/webhooks/${id}`);
});

test("those of a deleted webhook are forgotten, also when its id is given again", async () => {
  const id = await create();
  await createNote("a");
  const { id: delivery } = await delivered(id, 1);
  await ask("POST", "/admin/webhooks/batch-delete", { ids: [Number(id)] });
  for (const path of [`/webhook-deliveries/${delivery}/repeat`, "/webhook-deliveries/x/repeat"])
    expect((await ask("POST", path)).status).toBe(404);
  expect((await ask("GET", `/webhook-deliveries/${delivery}`)).status).toBe(404);
  expect((await ofWebhook(await create())).deliveries).toEqual([]);
});

test("a webhook that may not be called is not called again either, and says why", async () => {
  const id = await create();
  await createNote("a");
  const { id: delivery } = await delivered(id, 1);
  receiver.received.splice(0);
  await ask("PUT", `/webhooks/${id}`, { ...(await values(id)), url: "https://example.com/hook" });
  expect((await ofWebhook(id)).problem).toBe("only this machine is called");
  const { status, body } = await ask("POST", `/webhook-deliveries/${delivery}/repeat`);
  expect([status, body.error.message]).toEqual([400, "site is not called: only this machine is called"]);
  await ask("DELETE", `/admin/webhooks/${id}`);
});

test("a body that was too long to be kept is not sent again", async () => {
  const id = await create();
  await createNote("x".repeat(100_000));
  const { id: delivery, hasBody } = await delivered(id, 1);
  expect(hasBody).toBe(false);
  const { status, body } = await ask("POST", `/webhook-deliveries/${delivery}/repeat`);
  expect([status, body.error.message]).toEqual([
    400,
    "Its body was too long to be kept, so that it cannot be sent again",
  ]);
});

test("a webhook that has got the id of another by an import has none of its deliveries", async () => {
  const id = await create({ name: "first" });
  await createNote("a");
  const { id: delivery } = await delivered(id, 1);
  await ask("PUT", `/webhooks/${id}`, { ...(await values(id)), name: "renamed" });
  expect((await ofWebhook(id)).deliveries).toHaveLength(1);
  await ask("PUT", `/webhooks/${id}`, { ...(await values(id)), name: "second", url: `${receiver.url}/other` });
  expect((await ofWebhook(id)).deliveries).toEqual([]);
  for (const [method, path] of [
    ["GET", ""],
    ["POST", "/repeat"],
  ] as const)
    expect((await ask(method, `/webhook-deliveries/${delivery}${path}`)).status).toBe(404);
  await ask("DELETE", `/admin/webhooks/${id}`);
});
