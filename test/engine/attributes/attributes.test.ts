/** One suite for every attribute type, over the type's fixture: written, read, refused, filtered, sorted, unique, private. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ScalarTypeName, scalarTypes } from "../../../src/engine/attributes/index.ts";
import { restoreValue } from "../../../src/engine/attributes/restore.ts";
import { type TestApp, testApp, typeFile } from "../../project.ts";
import { fixtures } from "./fixtures.ts";

const names = Object.keys(scalarTypes) as ScalarTypeName[];

function files(): Record<string, string> {
  const all = names.map((type) => {
    const definition = { type, ...fixtures[type].options };
    return {
      ...typeFile(`plain-${type}`, { value: definition }),
      ...typeFile(`strict-${type}`, {
        value: { ...definition, required: true, unique: fixtures[type].notUnique !== true },
      }),
      ...typeFile(`hidden-${type}`, { value: { ...definition, private: true } }),
    };
  });
  return Object.assign({}, ...all) as Record<string, string>;
}

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files());
});
afterAll(() => app.close());

const create = (path: string, value: unknown) => app.call("POST", `/api/${path}`, { data: { value } });
async function clear(path: string): Promise<void> {
  const { body } = await app.call("GET", `${path}?pagination[pageSize]=100`);
  for (const { documentId } of body.data) await app.call("DELETE", `${path}/${documentId}`);
}
const urlValue = (value: unknown): string =>
  encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));

for (const type of names) {
  const { accepted, refused, ordered, secret, notUnique } = fixtures[type];
  describe(type, () => {
    for (const [sent, answered = sent] of accepted) {
      test(`answers ${JSON.stringify(sent).slice(0, 60)} as ${JSON.stringify(answered).slice(0, 60)}`, async () => {
        const made = await create(`plain-${type}s`, sent);
        expect(made.status).toBe(201);
        if (secret) expect(made.body.data).not.toHaveProperty("value");
        else expect(made.body.data.value).toEqual(answered);
        const read = await app.call("GET", `/api/plain-${type}s/${made.body.data.documentId}`);
        expect(read.body).toEqual(made.body);
      });
    }

    if (!secret) {
      test("is restored from an export as it was stored", () => {
        const { cast, store } = scalarTypes[type];
        for (const [sent, answered = sent] of accepted)
          expect(restoreValue(scalarTypes[type], answered)).toEqual(store(cast ? cast(sent) : sent));
      });
    }

    for (const [sent, message] of refused) {
      test(`refuses ${JSON.stringify(sent).slice(0, 60)}`, async () => {
        const before = await app.call("GET", `/api/plain-${type}s`);
        const { status, body } = await create(`plain-${type}s`, sent);
        expect({ status, message: body.error.message, name: body.error.name }).toEqual({
          status: 400,
          message,
          name: "ValidationError",
        });
        expect(await app.call("GET", `/api/plain-${type}s`)).toEqual(before);
      });
    }

    test("holds null, and clears to null", async () => {
      await clear(`/api/plain-${type}s`);
      const made = await create(`plain-${type}s`, null);
      expect(made.status).toBe(201);
      const [sent] = accepted[0]!;
      const path = `/api/plain-${type}s/${made.body.data.documentId}`;
      expect((await app.call("PUT", path, { data: { value: sent } })).status).toBe(200);
      const cleared = await app.call("PUT", path, { data: { value: null } });
      expect(cleared.status).toBe(200);
      if (!secret) expect(cleared.body.data.value).toBeNull();
    });

    test("refuses to be missing or null where it is required", async () => {
      const missing = await app.call("POST", `/api/strict-${type}s`, { data: {} });
      expect(missing.body.error.message).toBe("value must be defined.");
      const none = await create(`strict-${type}s`, null);
      expect(none.status).toBe(400);
    });

    if (!notUnique && !secret) {
      test("refuses the same value twice where it is unique", async () => {
        const [sent] = accepted[0]!;
        expect((await create(`strict-${type}s`, sent)).status).toBe(201);
        const again = await create(`strict-${type}s`, sent);
        expect(again.body.error.message).toBe("This attribute must be unique");
      });
    }

    test("is never shown, and no key of a query, where it is private", async () => {
      const [sent] = accepted[0]!;
      const made = await create(`hidden-${type}s`, sent);
      expect(made.body.data).not.toHaveProperty("value");
      for (const query of ["filters[value]=x", "sort=value", "fields=value"]) {
        const { status, body } = await app.call("GET", `/api/hidden-${type}s?${query}`);
        expect({ status, message: body.error?.message }).toEqual({ status: 400, message: "Invalid key value" });
      }
    });

    if (ordered) {
      test("is filtered and sorted by its value", async () => {
        const [low, high] = ordered;
        const path = `/api/plain-${type}s`;
        await clear(path);
        for (const value of [high, null, low]) expect((await create(`plain-${type}s`, value)).status).toBe(201);
        const values = async (query: string) =>
          (await app.call("GET", `${path}?${query}`)).body.data.map(({ value }: { value: unknown }) => value);
        expect(await values("sort=value")).toEqual([null, low, high]);
        expect(await values("sort=value:desc")).toEqual([high, low, null]);
        expect(await values(`filters[value]=${urlValue(low)}`)).toEqual([low]);
        expect(await values(`filters[value][$ne]=${urlValue(low)}`)).toEqual([high]);
        expect(await values(`filters[value][$gt]=${urlValue(low)}`)).toEqual([high]);
        expect(await values(`filters[value][$lte]=${urlValue(low)}`)).toEqual([low]);
        expect(await values(`filters[value][$in]=${urlValue(high)}`)).toEqual([high]);
        expect(await values(`filters[value][$notIn]=${urlValue(high)}`)).toEqual([low]);
        expect(await values("filters[value][$null]=true")).toEqual([null]);
        expect(
          await values(
            `filters[value][$between][0]=${urlValue(low)}&filters[value][$between][1]=${urlValue(high)}&sort=value`,
          ),
        ).toEqual([low, high]);
      });
    }
  });
}
