import { expect, test } from "bun:test";
import { readBodyInfo, readFileInfo, readFileInfos } from "../../../src/engine/media/file-info.ts";
import { ApiError } from "../../../src/lib/errors.ts";

function listProblems(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return ((error.details?.errors ?? []) as { message: string }[]).map(({ message }) => message);
  }
  return [];
}

test("texts may come as numbers and booleans, and unknown keys are dropped", () => {
  const info = readFileInfo({ name: 12, caption: true, alternativeText: null, hash: "own", folder: 1 });
  expect(info).toEqual({ name: "12", caption: "true", alternativeText: null, focalPoint: undefined });
});

test("a focal point keeps further keys and turns texts into numbers", () => {
  expect(readFileInfo({ focalPoint: { x: "1", y: 2, z: 3 } }).focalPoint).toEqual({ x: 1, y: 2, z: 3 });
});

test.each([["abc"], [[1]], [null], [5]])("%j is not a focal point, and none is stored", (focalPoint) => {
  expect(readFileInfo({ focalPoint }).focalPoint).toBeNull();
});

const broken: [string, unknown, string[]][] = [
  [
    "a focal point outside the image",
    { focalPoint: { x: 101, y: -1 } },
    [
      "fileInfo.focalPoint.x must be less than or equal to 100",
      "fileInfo.focalPoint.y must be greater than or equal to 0",
    ],
  ],
  [
    "a focal point of nothing",
    { focalPoint: { x: null, y: 1 } },
    ["fileInfo.focalPoint.x must be a `number` type, but the final value was: `NaN`."],
  ],
  [
    "a focal point of truth",
    { focalPoint: { x: 1, y: true } },
    ["fileInfo.focalPoint.y must be a `number` type, but the final value was: `NaN` (cast from the value `true`)."],
  ],
  ["half a focal point", { focalPoint: { x: 10 } }, ["fileInfo.focalPoint.y is a required field"]],
  [
    "a focal point of words",
    { focalPoint: { x: "a", y: {} } },
    [
      'fileInfo.focalPoint.x must be a `number` type, but the final value was: `NaN` (cast from the value `"a"`).',
      "fileInfo.focalPoint.y must be a `number` type, but the final value was: `NaN` (cast from the value `{}`).",
    ],
  ],
  [
    "structures as texts",
    { name: { a: 1 }, caption: [1] },
    [
      'fileInfo.name must be a `string` type, but the final value was: `{\n  "a": "1"\n}`.',
      'fileInfo.caption must be a `string` type, but the final value was: `[\n  "1"\n]`.',
    ],
  ],
  ["null", null, ["fileInfo must be a `object` type, but the final value was: `null`."]],
  ["a text", "{x", ['fileInfo must be a `object` type, but the final value was: `null` (cast from the value `"{x"`).']],
];
test.each(broken)("%s is refused with Strapi's words", (_, value, messages) => {
  expect(listProblems(() => readFileInfo(value))).toEqual(messages);
});

test("a body without fileInfo says nothing, and a list is not a body", () => {
  expect(readBodyInfo(undefined)).toEqual({});
  expect(readBodyInfo({})).toEqual({});
  expect(listProblems(() => readBodyInfo([1]))[0]).toStartWith("this must be a `object` type");
});

test("one file takes an object, its JSON text, or a list of one", () => {
  for (const value of [{ name: "a" }, '{"name":"a"}', [{ name: "a" }], '[{"name":"a"}]', ['{"name":"a"}']]) {
    expect(readFileInfos(value, [true])[0]?.name).toBe("a");
  }
});

test("several files take a list of at least two, and a surplus is ignored", () => {
  const infos = readFileInfos('[{"name":"a"},{"name":"b"},{"name":"c"}]', [true, true]);
  expect(infos.map(({ name }) => name)).toEqual(["a", "b"]);
  const many = JSON.stringify([{}, {}, ...Array.from({ length: 300_000 }, () => 1)]);
  expect(readFileInfos(many, [true, true]).length).toBe(2);
  expect(readFileInfos(undefined, [true, true])).toEqual([]);
  for (const value of ['{"name":"a"}', '[{"name":"a"}]', "", "nope"]) {
    expect(listProblems(() => readFileInfos(value, [true, true]))[0]).toStartWith("fileInfo must be a `array` type");
  }
});

test("the texts of refused files go with them", () => {
  const infos = readFileInfos([{ name: "a" }, { name: "b" }, { name: "c" }], [true, false, true]);
  expect(infos.map(({ name }) => name)).toEqual(["a", "c"]);
  expect(readFileInfos([{ name: "a" }, { name: "b" }], [false, true])[0]?.name).toBe("b");
});

test("what is not JSON is refused", () => {
  expect(listProblems(() => readFileInfos("{nope", [true]))[0]).toContain("cast from the value");
});
