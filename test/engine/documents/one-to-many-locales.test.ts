/** Lists of rows that belong to one document, in several locales of it. */
import { afterAll, expect, test } from "bun:test";
import { ADMIN, configFile, relation, testApp, typeFile } from "../../project.ts";

const versions = { draftAndPublish: true };
const app = await testApp({
  ...typeFile(
    "place",
    { name: { type: "string" }, slots: { ...relation("oneToMany", "slot"), mappedBy: "place" } },
    { ...versions, localized: true },
  ),
  ...typeFile(
    "slot",
    { name: { type: "string" }, place: { ...relation("manyToOne", "place"), inversedBy: "slots" } },
    versions,
  ),
  ...configFile({ locales: [{ code: "en", isDefault: true }, { code: "fr" }] }),
});
afterAll(() => app.close());

const ask = async (method: string, path: string, data?: object) =>
  (await app.call(method, `/api${path}`, data && { data }, ADMIN)).body?.data;

test("publishing one locale leaves the rows in the lists of the others", async () => {
  const { documentId } = await ask("POST", "/places", { name: "en" });
  const slot = await ask("POST", "/slots", { name: "A" });
  const slots = { connect: [slot.documentId] };
  const names = async (query: string): Promise<string[]> =>
    (await ask("GET", `/places/${documentId}?populate=slots${query}`)).slots.map(({ name }: { name: string }) => name);
  await ask("PUT", `/places/${documentId}`, { slots });
  await ask("PUT", `/places/${documentId}?locale=fr`, { name: "fr", slots });
  for (const query of ["", "&status=draft", "&locale=fr", "&locale=fr&status=draft"])
    expect([query, await names(query)]).toEqual([query, ["A"]]);
  await ask("DELETE", `/places/${documentId}?locale=fr`);
  for (const query of ["", "&status=draft"]) expect([query, await names(query)]).toEqual([query, ["A"]]);
  const other = await ask("POST", "/places", { name: "other", slots });
  expect(await names("")).toEqual([]);
  expect((await ask("GET", `/places/${other.documentId}?populate=slots`)).slots.length).toBe(1);
});
