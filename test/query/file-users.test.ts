import { expect, test } from "bun:test";
import { componentFile, testApp, typeFile } from "../project.ts";

test("the users of a file in private attributes are never shown", async () => {
  const picture = { type: "media", multiple: false };
  const app = await testApp({
    ...typeFile("note", { name: { type: "string" }, open: picture, hidden: { ...picture, private: true } }),
    ...componentFile("parts.card", { label: { type: "string" }, hidden: { ...picture, private: true } }),
    ...typeFile("page", { card: { type: "component", component: "parts.card" } }),
  });
  const form = new FormData();
  form.append("files", new File(["x"], "a.txt"));
  const request = new Request("http://localhost/api/upload", {
    method: "POST",
    body: form,
    headers: { authorization: "Bearer test-full-access" },
  });
  const [{ id }] = (await (await app.handle(request)).json()) as [{ id: number }];
  await app.call("POST", "/api/notes", { data: { name: "hides", hidden: id } });
  await app.call("POST", "/api/notes", { data: { name: "shows", open: id } });
  await app.call("POST", "/api/pages", { data: { card: { label: "hides", hidden: id } } });
  for (const populate of ["populate=related", "populate=*", "populate[related][on][api::note.note][fields]=name"]) {
    const { body } = await app.call("GET", `/api/upload/files?${populate}`);
    expect(body[0].related.map(({ name }: { name: string }) => name)).toEqual(["shows"]);
  }
  const cards = await app.call("GET", "/api/upload/files?populate[related][on][parts.card][fields]=label");
  expect(cards.body[0].related).toEqual([]);
  const count = await app.call("GET", "/api/upload/files?populate[related][count]=true");
  expect(count.body[0].related).toEqual({ count: 1 });
  await app.close();
});
