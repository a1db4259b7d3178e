import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { shortestCodes } from "../../../src/engine/media/images/huffman-codes.ts";
import { withShortestCodes } from "../../../src/engine/media/images/jpeg-codes.ts";
import { Random } from "../../random.ts";
import { jpegOf } from "./samples.ts";

const files = join(import.meta.dir, "../../conformance/files");

const pixelsOf = async (jpeg: Uint8Array): Promise<Buffer> => Buffer.from(await new Bun.Image(jpeg).png().bytes());
const reencoded = (bytes: Uint8Array): Promise<Uint8Array> => new Bun.Image(bytes).jpeg({ quality: 80 }).bytes();

describe("shortest codes", () => {
  // bytes and SHA-256 of what Strapi stores
  test.each([
    ["upload-small-100x60.jpg", 533, "1452a0a6d40287cf"],
    ["upload-edge-245x156.jpg", 1_153, "a56c09cb46005c33"],
    ["upload-wide-501x300.jpg", 3_750, "02fd5f90745302f8"],
    ["upload-heavy-640x480.jpg", 14_563, "6a501b404eb5b6bd"],
    ["upload-panorama-1100x40.jpg", 2_691, "b620cec2a8becc0e"],
  ])("%s becomes what Strapi stores, byte for byte", async (name, length, hash) => {
    const jpeg = await withShortestCodes(await reencoded(await Bun.file(join(files, name)).bytes()));
    expect(jpeg.length).toBe(length);
    expect(new Bun.CryptoHasher("sha256").update(jpeg).digest("hex").slice(0, 16)).toBe(hash);
  });

  test.each([
    [1, 1],
    [8, 8],
    [16, 17],
    [33, 15],
    [100, 1],
    [640, 480],
  ])("the pixels of %i × %i stay as they are", async (width, height) => {
    const jpeg = await jpegOf({ width, height });
    const shorter = await withShortestCodes(jpeg);
    expect(shorter.length).toBeLessThan(jpeg.length);
    expect((await pixelsOf(shorter)).equals(await pixelsOf(jpeg))).toBe(true);
    // they are the shortest already
    expect(await withShortestCodes(shorter)).toEqual(shorter);
  });

  test("large images leave others their turn", async () => {
    const jpeg = await jpegOf({ width: 4000, height: 3000 });
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await withShortestCodes(jpeg);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });

  test("progressive, truncated and other images stay as they are", async () => {
    const jpeg = await jpegOf({ width: 60, height: 40 });
    const progressive = await new Bun.Image(jpeg).jpeg({ progressive: true }).bytes();
    const others = [progressive, jpeg.subarray(0, -2), jpeg.subarray(0, 200), new Uint8Array(), Buffer.from("GIF89a")];
    for (const bytes of others) expect(await withShortestCodes(bytes)).toBe(bytes);
  });

  test("damaged images are rewritten or left alone, never refused", async () => {
    const random = new Random(17);
    const jpeg = await jpegOf({ width: 90, height: 70 });
    for (let round = 0; round < 300; round++) {
      const damaged = Uint8Array.from(jpeg);
      for (let n = 0; n < 4; n++) damaged[random.below(damaged.length)] = random.below(256);
      expect((await withShortestCodes(damaged)).length).toBeGreaterThan(0);
    }
  });
});

describe("a table of codes", () => {
  test("has no code of more than 16 bits, and none of ones only", () => {
    // each symbol is as frequent as the two before it together: the longest codes possible
    const frequencies = Array.from({ length: 256 }, () => 0);
    for (let symbol = 0; symbol < 40; symbol++) frequencies[symbol] = Math.round(1.618 ** symbol);
    const { counts, symbols } = shortestCodes(frequencies);
    expect(counts.length).toBe(17);
    expect(counts.reduce((sum, count) => sum + count)).toBe(40);
    expect(symbols.length).toBe(40);
    const used = counts.reduce((sum, count, length) => sum + count / 2 ** length, 0);
    expect(used).toBeLessThan(1);
  });

  test("of one symbol has one code", () => {
    const frequencies = Array.from({ length: 256 }, (_, symbol) => (symbol === 7 ? 5 : 0));
    const { counts, symbols } = shortestCodes(frequencies);
    expect([...counts].indexOf(1)).toBe(1);
    expect([...symbols]).toEqual([7]);
  });
});
