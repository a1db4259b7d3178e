/** Documents that are made are valid by any schema, and the same for the same seed. */
import { describe, expect, test } from "bun:test";
import { createGalley, type Galley } from "../src/index.ts";
import { componentFile, configFile, projectFolder, relation, typeFile } from "./project.ts";
import { Random } from "./random.ts";

type Definition = Record<string, unknown> & { readonly type: string };
type Choice = (random: Random) => Definition;

const COMPONENTS = ["parts.one", "parts.two", "parts.three"];
const TYPES = ["t0", "t1", "t2"];
const PATTERNS = [
  "^[A-Z]{3}-[0-9]{2,4}$",
  "^(foo|bar)[a-z]+$",
  "^\\d{3}$",
  "^https?://[a-z]+\\.org/.*$",
  "^(?:\\w+ ){2}\\w+$",
];
const MEDIA = [["images"], ["files"], ["videos", "audios"], ["audios"], ["images", "files"]];

const sometimes = (random: Random, values: object): object => (random.chance(0.5) ? values : {});
const required = (random: Random): object => sometimes(random, { required: true });
const unique = (random: Random): object => (random.chance(0.3) ? { unique: true } : {});
function lengths(random: Random): object {
  const minLength = random.below(20);
  return { ...sometimes(random, { minLength }), ...sometimes(random, { maxLength: minLength + 5 + random.below(30) }) };
}
function range(random: Random): object {
  const min = random.below(2_000) - 1_000;
  return { ...sometimes(random, { min }), ...sometimes(random, { max: min + random.below(500) }) };
}
const entries = (random: Random): object => {
  const min = 1 + random.below(4);
  return { ...required(random), ...sometimes(random, { min, max: min + random.below(3) }) };
};

const scalars: readonly Choice[] = [
  ...["string", "text"].map((type) => (random: Random) => ({
    type,
    ...lengths(random),
    ...required(random),
    ...unique(random),
  })),
  (random) => ({ type: "string", regex: random.pick(PATTERNS), ...required(random), ...unique(random) }),
  (random) => ({ type: "richtext", ...lengths(random), ...required(random) }),
  (random) => ({
    type: "email",
    ...random.pick([{}, { minLength: 30, maxLength: 40 }, { maxLength: 14 }]),
    ...required(random),
    ...unique(random),
  }),
  (random) => ({ type: "uid", ...required(random), ...sometimes(random, { minLength: 3, maxLength: 12 }) }),
  ...["integer", "biginteger", "float", "decimal"].map((type) => (random: Random) => ({
    type,
    ...range(random),
    ...required(random),
  })),
  (random) => ({ type: "integer", min: 1, max: 2_000, ...required(random), unique: true }),
  ...["date", "time", "datetime"].map((type) => (random: Random) => ({ type, ...required(random), ...unique(random) })),
  ...["timestamp", "boolean", "json", "blocks"].map((type) => (random: Random) => ({ type, ...required(random) })),
  (random) => ({ type: "enumeration", enum: ["one", "two", "three"], ...required(random) }),
];
const media: Choice = (random) => ({
  type: "media",
  multiple: random.chance(0.5),
  allowedTypes: random.pick(MEDIA),
  ...required(random),
});
const component = (random: Random, list: readonly string[]): Definition =>
  random.chance(0.5)
    ? { type: "component", component: random.pick(list), repeatable: true, ...entries(random) }
    : { type: "component", component: random.pick(list), ...required(random) };

/** `count` attributes, which are scalar or of `others`. */
const attributes = (random: Random, count: number, others: readonly Choice[]): Record<string, Definition> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `a${index}`,
      random.pick(random.chance(0.6) || others.length === 0 ? scalars : others)(random),
    ]),
  );

function randomProject(seed: number): Record<string, string> {
  const random = new Random(seed);
  const files: Record<string, string> = { ...configFile() };
  for (const [index, uid] of COMPONENTS.entries()) {
    const nested: Choice[] = index > 0 ? [(choices) => component(choices, COMPONENTS.slice(0, index))] : [];
    const link: Choice = (choices) => ({
      ...relation(choices.pick(["oneToOne", "oneToMany"]), "t0"),
      ...required(choices),
    });
    Object.assign(files, componentFile(uid, attributes(random, 3, [...nested, media, link])));
  }
  const others: readonly Choice[] = [
    (choices) => component(choices, COMPONENTS),
    (choices) => ({ type: "dynamiczone", components: COMPONENTS.slice(choices.below(3)), ...entries(choices) }),
    media,
    (choices) => ({
      ...relation(choices.pick(["oneToOne", "oneToMany", "manyToOne", "manyToMany"]), choices.pick(TYPES)),
      ...required(choices),
    }),
  ];
  for (const type of TYPES) {
    const options = { draftAndPublish: random.chance(0.5), localized: random.chance(0.3) };
    Object.assign(files, typeFile(type, attributes(random, 7, others), options));
  }
  return files;
}

const makeAll = async (galley: Galley): Promise<unknown[]> => {
  const made: unknown[] = [];
  for (const type of TYPES) made.push(...(await galley.makeMany(type, 6)));
  return made;
};

test.each(Array.from({ length: 16 }, (_, seed) => seed + 1))(
  "valid documents of random schemas, the same again: %d",
  async (seed) => {
    const { root, remove } = projectFolder(randomProject(seed));
    const options = { project: root, environment: {}, now: "2026-01-01T00:00:00Z", seed };
    await using galley = await createGalley(options);
    await using branch = await galley.branch();
    // each rejects for a document that is not valid
    const made = await makeAll(galley);
    expect(made).toHaveLength(18);
    expect(await makeAll(branch)).toEqual(made);
    remove();
  },
  60_000,
);

describe("what documents need", () => {
  const project = projectFolder({
    ...configFile(),
    ...typeFile("author", {
      name: { type: "string", required: true, unique: true },
      portrait: { type: "media", allowedTypes: ["images"], required: true },
    }),
    ...componentFile("parts.credit", {
      author: { ...relation("oneToOne", "author"), required: true },
      proof: { type: "media", allowedTypes: ["files"], multiple: true, required: true },
    }),
    ...typeFile("book", {
      credits: { type: "component", component: "parts.credit", repeatable: true, required: true, min: 2 },
    }),
    ...typeFile("ticket", {
      number: { type: "integer", required: true, unique: true },
      at: { type: "time", required: true, unique: true },
      label: { type: "string", required: true, unique: true, maxLength: 4 },
      mail: { type: "email", required: true, unique: true },
    }),
  });

  test("is made, also in components: documents and files", async () => {
    await using galley = await createGalley({ project: project.root, environment: {}, seed: 1 });
    const { documentId } = await galley.make("book");
    const response = await galley
      .as("full-access")
      .fetch(
        `/api/books/${documentId}?populate[credits][populate][author][populate]=portrait&populate[credits][populate][proof]=true`,
      );
    const { data } = (await response.json()) as {
      data: { credits: { author: { portrait: { url: string; mime: string } }; proof: { mime: string }[] }[] };
    };
    expect(data.credits.length).toBeGreaterThanOrEqual(2);
    for (const { author, proof } of data.credits) {
      expect([author.portrait.mime, proof[0]!.mime]).toEqual(["image/png", "text/plain"]);
      expect((await galley.fetch(author.portrait.url)).status).toBe(200);
    }
    expect(await galley.documents("api::author.author").count()).toBeGreaterThanOrEqual(1);
  });

  test("is not made where it is given", async () => {
    await using galley = await createGalley({ project: project.root, environment: {} });
    const { documentId } = await galley.make("author", { portrait: null });
    expect(await galley.documents("plugin::upload.file").count()).toBe(0);
    await galley.make("book", { credits: [{ author: documentId }, { author: documentId }] });
    expect(await galley.documents("api::author.author").count()).toBe(1);
  });

  test("has passwords of the length that they must have, which its type may publish", async () => {
    const secret = { type: "password", minLength: 9, required: true };
    const folder = projectFolder({ ...configFile(), ...typeFile("member", { secret }, { draftAndPublish: true }) });
    await using galley = await createGalley({ project: folder.root, environment: {} });
    expect(await galley.make("member")).toMatchObject({ publishedAt: expect.any(String) });
    folder.remove();
  });

  test("has unique values, also when plausible ones are used up", async () => {
    await using galley = await createGalley({ project: project.root, environment: {}, seed: 1 });
    expect(await galley.makeMany("ticket", 400)).toHaveLength(400);
  }, 60_000);
});
