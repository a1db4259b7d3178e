/** The preview of a change counts values that an enumeration does not allow. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Galley } from "../../src/index.ts";
import { projectFolder, typeFile } from "../project.ts";
import { type Ask, openSignedIn } from "./signed-in.ts";

const NOTE = "api::note.note";

const project = typeFile("note", {
  mood: { type: "enumeration", enum: ["calm", "loud", "odd"] },
  size: { type: "string" },
});

describe("the preview of an enumeration", () => {
  let galley: Galley;
  let ask: Ask;

  openSignedIn(projectFolder(project), "a key for enumerations", (parts) => {
    ({ galley, ask } = parts);
  });
  beforeAll(async () => {
    for (const [mood, size] of [
      ["calm", "small"],
      ["odd", "large"],
      ["odd", null],
    ])
      await galley.documents(NOTE).create({ data: { mood, size } });
  });

  const effects = async (attributes: object): Promise<unknown> => {
    const { body } = await ask("GET", `/content-type-builder/content-types/${NOTE}`);
    const contentType = { ...body.data.schema, attributes: { ...body.data.schema.attributes, ...attributes } };
    const preview = await ask("POST", "/content-types/preview", { action: "changeType", uid: NOTE, contentType });
    return preview.body.data.effects;
  };
  const outside = (attribute: string, count: number) => ({ kind: "outsideEnumeration", uid: NOTE, attribute, count });

  test("counts those of a value that is removed", async () => {
    const enumeration = { mood: { type: "enumeration", enum: ["calm", "loud"] } };
    expect(await effects(enumeration)).toEqual([outside("mood", 2)]);
  });

  test("is without effect where a value is added", async () => {
    expect(await effects({ mood: { type: "enumeration", enum: ["calm", "loud", "odd", "new"] } })).toEqual([]);
  });

  test("counts converted ones beside the conversion", async () => {
    expect(await effects({ size: { type: "enumeration", enum: ["small"] } })).toEqual([
      { kind: "converted", uid: NOTE, attribute: "size", types: ["string", "enumeration"], count: 2, lost: 0 },
      outside("size", 1),
    ]);
  });
});
