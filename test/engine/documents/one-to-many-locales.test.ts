/** Lists of rows that belong to one document, in several locales of it. */
import { afterAll, expect, test } from "bun:test";
import { ADMIN, componentFile, configFile, relation, testApp, typeFile } from "../../project.ts";

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
  ...typeFile(
    "leaf",
    { name: { type: "string" }, things: { ...relation("oneToMany", "thing"), mappedBy: "leaf" } },
    { localized: true },
  ),
  ...typeFile(
    "thing",
    { name: { type: "string" }, leaf: { ...relation("manyToOne", "leaf"), inversedBy: "things" } },
    versions,
  ),
  ...componentFile("part.links", { leaves: relation("oneToMany", "leaf") }),
  ...typeFile(
    "page",
    {
      name: { type: "string", pluginOptions: { i18n: { localized: true } } },
      links: { type: "component", component: "part.links" },
    },
    { localized: true },
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

test("a list takes no row from that of another locale of its document", async () => {
  const thing = await ask("POST", "/things", { name: "T" });
  const { documentId } = await ask("POST", "/leafs?locale=fr", { name: "fr", things: [thing.documentId] });
  await ask("PUT", `/leafs/${documentId}`, { name: "en", things: [thing.documentId] });
  const lists = async () =>
    (await ask("GET", "/leafs?locale=*&populate=things&sort=locale")).map(
      ({ things }: { things: object[] }) => things.length,
    );
  expect(await lists()).toEqual([1, 1]);
  // what was created first is shown, and published
  const leafOf = async (query = "") =>
    (await ask("GET", `/things/${thing.documentId}?populate=leaf${query}`)).leaf.locale;
  expect([await leafOf(), await leafOf("&status=draft")]).toEqual(["fr", "fr"]);
  await ask("PUT", `/things/${thing.documentId}`, { name: "U" });
  expect([await leafOf(), await lists()]).toEqual(["fr", [0, 1]]);
});

test("of several locales of a document that a relation to one leads to, the first one is shown, whatever was connected last", async () => {
  const { documentId } = await ask("POST", "/leafs", { name: "en" });
  await ask("PUT", `/leafs/${documentId}?locale=fr`, { name: "fr" });
  const connect = (locale: string) => ({ leaf: { connect: [{ documentId, locale }] } });
  const thing = await ask("POST", "/things", { name: "T", ...connect("fr") });
  const shown = async () => (await ask("GET", `/things/${thing.documentId}?populate=leaf`)).leaf.locale;
  expect(await shown()).toBe("fr");
  for (const locale of ["en", "fr"]) {
    await ask("PUT", `/things/${thing.documentId}`, connect(locale));
    expect(await shown()).toBe("en");
  }
});

test("a new locale is refused where a component that it shares leads to a document without that locale", async () => {
  const leaf = await ask("POST", "/leafs", { name: "en" });
  const page = await ask("POST", "/pages", { name: "en", links: { leaves: [leaf.documentId] } });
  const write = () => app.call("PUT", `/api/pages/${page.documentId}?locale=fr`, { data: { name: "fr" } }, ADMIN);
  const refused = await write();
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    `Document with id "${leaf.documentId}", locale "fr" not found`,
  ]);
  await ask("PUT", `/leafs/${leaf.documentId}?locale=fr`, { name: "fr" });
  expect((await write()).status).toBe(200);
  const { links } = await ask("GET", `/pages/${page.documentId}?locale=fr&populate[links][populate]=leaves`);
  expect(links.leaves).toMatchObject([{ name: "fr", locale: "fr" }]);
});
