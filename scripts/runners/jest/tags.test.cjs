const { createGalley } = require("galley-cms/test");

let galley;
beforeAll(async () => {
  galley = await createGalley({ project: "../magazine", publicRead: true });
});
afterEach(() => galley.reset());
afterAll(() => galley.close());

const names = async (query) => (await (await galley.fetch(`/api/tags?${query}`)).json()).data.map(({ name }) => name);

test("a tag is listed", async () => {
  await galley.documents("api::tag.tag").create({ data: { name: "fog", slug: "fog" } });
  expect(await names("filters[slug]=fog")).toEqual(["fog"]);
});

test("the next test does not see it", async () => {
  expect(await names("filters[slug]=fog")).toEqual([]);
});

test("a refusal is Strapi's", async () => {
  const refused = galley.documents("api::tag.tag").create({ data: {} });
  await expect(refused).rejects.toMatchObject({ name: "ValidationError", status: 400 });
});
