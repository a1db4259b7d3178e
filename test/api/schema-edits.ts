/** Edits of types through the content-type builder, by turns: each is taken back by a later one. */
import { signInLink } from "../../src/admin/session/session.ts";
import { KEY, type LoggedApp, TAG } from "../engine/storage/change-log-app.ts";
import { type Body, createCall, type TestApp } from "../project.ts";

export const NOTE = "api::note.note";
const ADDRESS = "http://localhost:1337";
const TYPES = "/content-type-builder/content-types";
export const BUILDER_KEY = "an-admin-token";

type Call = TestApp["call"];

async function signIn(app: LoggedApp): Promise<Call> {
  const host = { host: "localhost:1337", "sec-fetch-site": "same-origin", "x-galley-admin": "1" };
  const token = signInLink(ADDRESS, KEY, Date.now()).split("#")[1];
  const body = JSON.stringify({ token });
  const headers = { ...host, "content-type": "application/json" };
  const session = await app.handle(new Request(`${ADDRESS}/admin/api/session`, { method: "POST", headers, body }));
  return createCall(app, { ...host, cookie: session.headers.get("set-cookie")!.split(";")[0]! });
}

async function done(result: ReturnType<Call>): Promise<void> {
  const { status, body } = await result;
  if (status >= 300) throw new Error(JSON.stringify(body));
}

const note = {
  displayName: "Note",
  singularName: "note",
  pluralName: "notes",
  kind: "collectionType",
  draftAndPublish: false,
  attributes: { text: { type: "string" } },
};

/** Each edit by what it does. */
export async function schemaEdits(
  app: LoggedApp,
): Promise<readonly (readonly [name: string, edit: () => Promise<void>])[]> {
  const page = await signIn(app);
  const builder = createCall(app, { authorization: `Bearer ${BUILDER_KEY}` });
  const changed = async (change: (attributes: Body) => Body): Promise<Body> => {
    const { body } = await builder("GET", `${TYPES}/${TAG}`);
    return { ...body.data.schema, attributes: change(body.data.schema.attributes) };
  };
  const put = async (change: (attributes: Body) => Body): Promise<void> =>
    done(builder("PUT", `${TYPES}/${TAG}`, { contentType: await changed(change) }));
  const edits: readonly (readonly [string, () => Promise<void>])[] = [
    ["an attribute is added", () => put((attributes) => ({ ...attributes, extra: { type: "string", default: "x" } }))],
    [
      "an attribute is renamed",
      async () => {
        const contentType = await changed(({ extra, ...attributes }) => ({ ...attributes, other: extra }));
        const body = { action: "changeType", uid: TAG, contentType, renames: { extra: "other" } };
        await done(page("POST", "/admin/api/content-types/apply", body));
      },
    ],
    ["an attribute is removed", () => put(({ other: _, ...attributes }) => attributes)],
    ["an attribute becomes private", () => put(({ name, ...rest }) => ({ ...rest, name: { ...name, private: true } }))],
    ["a private attribute is shown", () => put((attributes) => ({ ...attributes, name: { type: "string" } }))],
    ["a type is removed", () => done(builder("DELETE", `${TYPES}/${NOTE}`))],
    ["a type comes back", () => done(builder("POST", TYPES, { contentType: note }))],
  ];
  return edits.map(([name, edit]) => [
    name,
    async () => {
      await edit();
      // the other connection has the names of tables in memory
      app.storage.loadNumbers();
    },
  ]);
}
