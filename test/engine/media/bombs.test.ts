/** Small files that claim, or unfold to, far more than they are: none is decoded, inflated or scanned for long. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { formatsFor } from "../../../src/engine/media/images/formats.ts";
import { readImage } from "../../../src/engine/media/images/index.ts";
import { stripChunks } from "../../../src/engine/media/images/png.ts";
import { measureSvg } from "../../../src/engine/media/images/svg.ts";
import { processTime, threadTime } from "../../processor-time.ts";
import {
  bmp,
  claimingGif,
  claimingPng,
  claimingWebp,
  inflatingChunk,
  pngChunk,
  pngWith,
  scannedJpeg,
} from "./samples.ts";

const LARGE = { width: 16_383, height: 16_383 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-bombs-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const progressive = await new Bun.Image(bmp({ width: 2000, height: 1000 }, () => [9, 9, 9]))
  .jpeg({ progressive: true })
  .bytes();

const claims: [string, { readonly width: number; readonly height: number }, Uint8Array][] = [
  ["a PNG of 268 megapixels", LARGE, claimingPng(LARGE)],
  ["a WebP of 268 megapixels", LARGE, claimingWebp(LARGE)],
  ["a GIF of 268 megapixels", LARGE, claimingGif(LARGE)],
  [
    "a GIF of 100 frames of 4 megapixels",
    { width: 2000, height: 2000 },
    claimingGif({ width: 2000, height: 2000 }, 100),
  ],
  ["a JPEG of 2 megapixels and 500 scans", { width: 2000, height: 1000 }, scannedJpeg(progressive, 500)],
];
test.each(claims)("%s is measured and kept as it was sent", async (_, size, content) => {
  const path = join(folder, String(content.length));
  writeFileSync(path, content);
  const plan = (source: typeof size) => formatsFor(source, { large: 1000 });
  const start = processTime();
  const image = await readImage(path, content.subarray(0, 4100), plan);
  expect(image).toMatchObject({ ...size, stored: undefined, copies: [] });
  expect(processTime() - start).toBeLessThan(2000);
});

const SMALL = { width: 8, height: 8 };
const PIXELS = Buffer.alloc(16);
const profileOf = (bytes: number, length = bytes): Buffer => {
  const profile = Buffer.alloc(bytes);
  profile.writeUInt32BE(length);
  profile.write("acsp", 36);
  return pngChunk("iCCP", Buffer.concat([Buffer.from("x\0\0", "latin1"), deflateSync(profile)]));
};

test("chunks of a PNG that inflate are taken out before it is decoded", async () => {
  const chunks = ["iCCP", "zTXt", "iTXt", "eXIf", "aaAa"].map((name) => inflatingChunk(name, 20_000_000));
  const png = pngWith(SMALL, PIXELS, chunks);
  expect(stripChunks(png)).toEqual(pngWith(SMALL, PIXELS));
});

test("a PNG keeps one colour profile of a sane size, also when it is encoded anew", async () => {
  const sane = profileOf(3000);
  expect(stripChunks(pngWith(SMALL, PIXELS, [sane, sane]))).toEqual(pngWith(SMALL, PIXELS, [sane]));
  expect(stripChunks(pngWith(SMALL, PIXELS, [profileOf(2_000_000)]))).toEqual(pngWith(SMALL, PIXELS));
  expect(stripChunks(pngWith(SMALL, PIXELS, [profileOf(3000, 2999)]))).toEqual(pngWith(SMALL, PIXELS));
  const path = join(folder, "profile.png");
  writeFileSync(path, pngWith(SMALL, PIXELS, [sane]));
  const image = await readImage(path, Buffer.from(await Bun.file(path).arrayBuffer()), () => []);
  expect(Buffer.from(image?.stored ?? []).includes("iCCP")).toBe(true);
});

const drawings: [string, string][] = [
  ["comments after its end", `<svg width="1" height="1"></svg>${"<!---->".repeat(8000)}x`],
  ["comments after its end that do not close", `<svg width="1" height="1"></svg>${"-->".repeat(8000)}`],
  ["digits as its width", `<svg width="${"1".repeat(60_000)}x" height="1"></svg>`],
  ["spaces in its width", `<svg width="1${" ".repeat(60_000)}!" height="1"></svg>`],
  ["spaces between its attributes", `<svg ${" ".repeat(60_000)}!`],
  ["names of its width", `<svg ${"width".repeat(12_000)}`],
  ["widths without values", `<svg ${"width = ".repeat(8000)}`],
  ["quotes that do not close", `<svg ${"a='b\" ".repeat(8000)}`],
  ["numbers in its box", `<svg viewBox="${"1 , ".repeat(15_000)}"></svg>`],
  ["a document type in brackets", `<!DOCTYPE svg [${"] ".repeat(30_000)}`],
  ["letters before its name", `<${"a-".repeat(30_000)}:svg`],
  ["processing instructions", "<?a?>".repeat(12_000)],
];
test.each(drawings)("an SVG with 60,000 letters of %s is measured at once", (_, text) => {
  const start = threadTime();
  expect(measureSvg(text)).toBeUndefined();
  expect(threadTime() - start).toBeLessThan(200);
});
