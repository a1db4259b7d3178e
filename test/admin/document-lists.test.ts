/** Parameters of the content manager's lists. */
import { expect, test } from "bun:test";
import { interceptRows } from "../../src/admin/content-manager/intercepted-reads.ts";
import { contentType } from "../../src/engine/schema/model.ts";
import { openProject } from "../../src/server/project/project.ts";
import { type Body, projectFolder, type TestApp } from "../project.ts";
import { adminTokenFile, openAsAdmin } from "./admin-token.ts";

const localized = { i18n: { localized: true } };
const folder = projectFolder({
  "src/components/parts/card.json": JSON.stringify({
    collectionName: "cards",
    info: { displayName: "Card" },
    attributes: { text: { type: "string" } },
  }),
  "src/api/song/content-types/song/schema.json": JSON.stringify({
    kind: "collectionType",
    info: { singularName: "song", pluralName: "songs", displayName: "Song" },
    options: { draftAndPublish: true },
    pluginOptions: localized,
    attributes: {
      name: { type: "string", pluginOptions: localized },
      card: { type: "component", component: "parts.card" },
    },
  }),
  ...Object.fromEntries(
    (["collectionType", "singleType"] as const).map((kind) => {
      const name = kind === "singleType" ? "radio" : "album";
      const info = { singularName: name, pluralName: `${name}s`, displayName: name };
      const song = { type: "relation", relation: "oneToOne", target: "api::song.song" };
      const schema = { kind, info, options: { draftAndPublish: false }, attributes: { song } };
      return [`src/api/${name}/content-types/${name}/schema.json`, JSON.stringify(schema)];
    }),
  ),
  ...adminTokenFile,
});
const SONGS = "/content-manager/collection-types/api::song.song";

let admin: TestApp["call"];
openAsAdmin(folder, async (opened) => {
  ({ admin } = opened);
  for (const name of ["a", "b", "c"]) await admin("POST", SONGS, { name, card: { text: name } });
  const [first] = (await admin("GET", `${SONGS}?sort=name`)).body.results;
  await admin("POST", `${SONGS}/${first.documentId}/actions/publish`, {});
});

const listed = async (query: string): Promise<Body[]> => (await admin("GET", `${SONGS}?${query}`)).body.results;

test.each([
  ["sort=status:ASC", ["b", "c", "a"]],
  ["sort[0]=status:DESC&sort[1]=name:DESC", ["c", "b", "a"]],
  ["sort=status:ASC,name:ASC", ["a", "b", "c"]],
])("documents are sorted by status after all other keys: %s", async (query, expected) => {
  expect((await listed(query)).map(({ name }) => name)).toEqual(expected);
});

test("documents of a localized type have no attributes unless the field of the locale is selected", async () => {
  const [withoutLocale] = await listed("fields[0]=name&sort=name");
  expect(Object.keys(withoutLocale!).sort()).toEqual([
    "createdBy",
    "documentId",
    "id",
    "localizations",
    "status",
    "updatedBy",
  ]);
  const [withLocale] = await listed("fields[0]=name&fields[1]=locale&sort=name");
  expect(withLocale).toMatchObject({ name: "a", locale: "en", card: { text: "a" } });
});

test("of types without drafts, the status is that of related documents, which are published if none is named", async () => {
  const [, draft] = await listed("sort=name");
  const input = { song: { connect: [{ documentId: draft!.documentId }] } };
  const albums = "/content-manager/collection-types/api::album.album";
  const album = `${albums}/${(await admin("POST", albums, input)).body.data.documentId}`;
  const radio = "/content-manager/single-types/api::radio.radio";
  await admin("PUT", radio, input);
  const shown = async (query: string) => ({
    list: (await admin("GET", albums + query)).body.results[0].song?.name ?? null,
    album: (await admin("GET", album + query)).body.data.song.count,
    radio: (await admin("GET", radio + query)).body.data.song?.name ?? null,
  });
  const none = { list: null, album: 0, radio: null };
  expect(await shown("")).toEqual(none);
  expect(await shown("?status=published")).toEqual(none);
  expect(await shown("?status=draft")).toEqual({ list: "b", album: 1, radio: "b" });
});

test("rows are read on in the same turn where nothing takes part in reads", async () => {
  const project = openProject(folder.root, { memory: true, publicRead: false, environment: {} });
  const type = contentType(project.model, "api::song.song");
  const rows = [{ id: 1, documentId: "a", name: "a" }];
  for (const read of ["findMany", "findOne"] as const)
    expect(interceptRows(project.context, type, rows, read, {})).toBe(rows);
  await project.close();
});
