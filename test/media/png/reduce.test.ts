/** PNG files with a palette are, byte by byte, those that sharp 0.35.3 makes with `png({ quality: 80 })`. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { quantise } from "../../../src/media/pictures/png/quantiser/index.ts";
import { reducePng } from "../../../src/media/pictures/png/reduce.ts";
import { writePng } from "../../../src/media/pictures/png/writer.ts";
import { pngKinds } from "./kinds.ts";
import { testPictures } from "./pictures.ts";
import recordings from "./recorded.json";

const QUALITY = 80;
const recorded = recordings as unknown as Readonly<Record<string, readonly [number, string]>>;
const shortHash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

function expectRecorded(bytes: Uint8Array, name: string): void {
  expect([bytes.length, shortHash(bytes)]).toEqual([...(recorded[name] ?? [])]);
}

describe("pictures", () => {
  test.each(Object.entries(testPictures))(
    "%s",
    async (name, make) => {
      const { rgba, ...size } = make();
      const density = { x: 1000, y: 1000 };
      expectRecorded(await writePng({ ...size, ...quantise(rgba, size, QUALITY), density }), name);
    },
    20_000,
  );
});

describe("kinds of files", () => {
  test.each(Object.entries(pngKinds))("%s", async (name, file) => {
    expectRecorded((await reducePng(file, QUALITY)) ?? new Uint8Array(), name);
  });
});

describe("files of the recordings", () => {
  const sizes = {
    "gql-small": 757,
    "gql-wide": 35_880,
    "gql-tall": 10_435,
    "upload-alpha-800x600": 594,
    "upload-flat-300x200": 174,
  };
  test.each(Object.entries(sizes))("%s", async (name, size) => {
    const file = await Bun.file(`${import.meta.dir}/../../conformance/files/${name}.png`).bytes();
    expect((await reducePng(file, QUALITY))?.length).toBe(size);
  });
});

describe("what is broken", () => {
  const file = Bun.file(`${import.meta.dir}/../../conformance/files/gql-tall.png`);

  /** Turns a bit of the checksum of the last chunk with a name. */
  async function withWrongChecksum(name: string): Promise<Buffer> {
    const bytes = Buffer.from(await file.arrayBuffer());
    const at = bytes.lastIndexOf(Buffer.from(name, "latin1"));
    const end = at + 4 + bytes.readUInt32BE(at - 4);
    bytes[end] = (bytes[end] as number) ^ 1;
    return bytes;
  }

  test.each(["IHDR", "IDAT"])("a wrong checksum of %s is refused", async (name) => {
    expect(await reducePng(await withWrongChecksum(name), QUALITY)).toBeUndefined();
  });
  test("a wrong checksum of what is no part of the picture does not matter", async () => {
    expect((await reducePng(await withWrongChecksum("IEND"), QUALITY))?.length).toBe(10_435);
  });
  test("half a file, and what is no PNG file, are refused", async () => {
    const bytes = await file.bytes();
    expect(await reducePng(bytes.subarray(0, bytes.length / 2), QUALITY)).toBeUndefined();
    expect(await reducePng(Buffer.from("no picture"), QUALITY)).toBeUndefined();
  });
});
