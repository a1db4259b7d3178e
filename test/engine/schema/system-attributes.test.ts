/** The names of the attributes that the server adds. */
import { expect, test } from "bun:test";
import type { Documents } from "../../../src/engine/documents/documents.ts";
import { SYSTEM_ATTRIBUTES } from "../../../src/engine/schema/system-attribute-names.ts";
import { SYSTEM_ATTRIBUTES as namesOfPage } from "../../../src/ui/system-attributes.ts";
import { testApp, typeFile } from "../../project.ts";

test("the list has all that a content-type gets, and the page has the same one", async () => {
  const app = await testApp(
    typeFile("post", { title: { type: "string" } }, { draftAndPublish: true, localized: true }),
  );
  try {
    const { attributes } = (app.documents("api::post.post") as unknown as Documents).type;
    const added = [...attributes.values()].filter(({ system }) => system).map(({ name }) => name);
    expect(added.sort()).toEqual([...SYSTEM_ATTRIBUTES].sort());
    expect([...namesOfPage].sort()).toEqual(["id", "documentId", ...SYSTEM_ATTRIBUTES].sort());
  } finally {
    await app.close();
  }
});
