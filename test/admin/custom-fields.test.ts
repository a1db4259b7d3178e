/** Custom fields in the content manager have the type that their plugin gives them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, TOKEN, testApp, typeFile } from "../project.ts";

const field = { type: "customField", customField: "plugin::own.field" };
const customFields = { "plugin::own.field": "richtext" };

let app: TestApp;
beforeAll(async () => {
  const tokens = [{ name: "admin", type: "admin", key: TOKEN }];
  app = await testApp(
    {
      ...configFile({ tokens, customFields }),
      ...typeFile("note", { body: field, title: { type: "string" } }),
      "src/components/part/text.json": JSON.stringify({
        collectionName: "part_texts",
        info: {},
        attributes: { body: field },
      }),
    },
    { admin: true },
  );
});
afterAll(() => app.close());

const read = async (path: string) => (await app.call("GET", path)).body.data;

test.each(["content-types", "components"])("the list of %s has the type of the field", async (list) => {
  const uid = list === "components" ? "part.text" : "api::note.note";
  const schemas: { uid: string; attributes: Record<string, object> }[] = await read(`/content-manager/${list}`);
  expect(schemas.find((schema) => schema.uid === uid)!.attributes.body).toEqual({ ...field, type: "richtext" });
});

test("a long text is not a column of the list", async () => {
  const { contentType } = await read("/content-manager/content-types/api::note.note/configuration");
  expect(contentType.layouts.list).toEqual(["id", "title", "createdAt", "updatedAt"]);
  expect(contentType.metadatas.body.list).toMatchObject({ searchable: false, sortable: false });
});
