import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatsFor } from "../../../src/engine/media/images/formats.ts";
import { measureGif } from "../../../src/engine/media/images/gif.ts";
import { copyGif } from "../../../src/engine/media/images/gif-copies.ts";
import { decodeFrame, parseGif } from "../../../src/engine/media/images/gif-frames.ts";
import { readImage } from "../../../src/engine/media/images/index.ts";
import { countScans } from "../../../src/engine/media/images/jpeg.ts";
import { shrink } from "../../../src/engine/media/images/shrink.ts";
import { measureSvg } from "../../../src/engine/media/images/svg.ts";
import { ImageTimeoutError, runInWorker } from "../../../src/engine/media/images/worker-client.ts";
import { processTime } from "../../processor-time.ts";
import {
  bmp,
  claimingGif,
  claimingPng,
  createGif,
  createTiff,
  inflatingChunk,
  jpegOf,
  movingWebp,
  PDF,
  pngOf,
  pngWith,
  SVG,
  turned,
  webpOf,
} from "./samples.ts";

const BREAKPOINTS = { large: 1000, medium: 750, small: 500 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-images-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let counter = 0;
function read(content: Uint8Array | string) {
  const path = join(folder, String(counter++));
  writeFileSync(path, content);
  return readImage(path, Buffer.from(content as string).subarray(0, 4100), (size) => formatsFor(size, BREAKPOINTS));
}
const sizeOf = async (bytes: Uint8Array | undefined) => {
  const { width, height } = await new Bun.Image(bytes ?? new Uint8Array()).metadata();
  return `${width}x${height}`;
};

const formats: [number, number, Record<string, string>][] = [
  [100, 60, {}],
  [245, 156, {}],
  [1, 1, {}],
  [246, 100, { thumbnail: "245x100" }],
  [500, 300, { thumbnail: "245x147" }],
  [501, 300, { thumbnail: "245x147", small: "500x299" }],
  [640, 480, { thumbnail: "208x156", small: "500x375" }],
  [600, 900, { thumbnail: "104x156", small: "333x500", medium: "500x750" }],
  [800, 600, { thumbnail: "208x156", small: "500x375", medium: "750x563" }],
  [1200, 800, { thumbnail: "234x156", small: "500x333", medium: "750x500", large: "1000x667" }],
  [1100, 40, { thumbnail: "245x9", small: "500x18", medium: "750x27", large: "1000x36" }],
  [20000, 1, { thumbnail: "245x1", small: "500x1", medium: "750x1", large: "1000x1" }],
];
test.each(formats)("an image of %d by %d gets the copies of Strapi", (width, height, expected) => {
  const found = formatsFor({ width, height }, BREAKPOINTS).map((size) => [size.key, `${size.width}x${size.height}`]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

const halved: [number, number, string, string, string][] = [
  [2000, 1500, "thumbnail", "209x156", "208x156"],
  [1999, 1333, "small", "500x333", "500x333"],
  [3000, 2001, "small", "500x333", "500x334"],
  [640, 480, "thumbnail", "208x156", "208x156"],
];
test.each(halved)(
  "a JPEG of %d by %d is halved without its odd pixels for its %s copy",
  (width, height, key, jpeg, other) => {
    const sizeIn = (isHalved: boolean) => {
      const found = formatsFor({ width, height, isHalved }, BREAKPOINTS).find((format) => format.key === key);
      return `${found?.width}x${found?.height}`;
    };
    expect([sizeIn(true), sizeIn(false)]).toEqual([jpeg, other]);
  },
);

test("only JPEG is halved while it is decoded", async () => {
  const large = { width: 491, height: 468 };
  const copies = await Promise.all(
    [jpegOf, pngOf, webpOf].map(async (make) => (await read(await make(large)))?.copies),
  );
  expect(await Promise.all(copies.map((list) => sizeOf(list?.[0])))).toEqual(["163x156", "164x156", "164x156"]);
});

test("configured breakpoints replace the usual ones, and the thumbnail stays", () => {
  const keys = formatsFor({ width: 300, height: 100 }, { wide: 280, tiny: 64, huge: 900 }).map(({ key }) => key);
  expect(keys).toEqual(["thumbnail", "wide", "tiny"]);
});

const size = { width: 300, height: 200 };
test.each([
  ["JPEG", jpegOf, "jpeg"],
  ["PNG", pngOf, "png"],
  ["WebP", webpOf, "webp"],
] as const)("%s is re-encoded and scaled in its own format", async (_, make, format) => {
  const image = await read(await make(size));
  expect(image).toMatchObject(size);
  expect((await new Bun.Image(image?.stored ?? new Uint8Array()).metadata()).format).toBe(format);
  expect(image?.copies.length).toBe(1);
  expect(await sizeOf(image?.copies[0])).toBe("234x156");
  expect((await new Bun.Image(image?.copies[0] ?? new Uint8Array()).metadata()).format).toBe(format);
});

/** Of the header of a PNG file. */
const colourTypeOf = (bytes: Uint8Array | undefined): number | undefined => bytes?.[25];
const INDEXED = 3;

test("a PNG and its copies are stored with a palette or with all colours, whichever is smaller", async () => {
  const noise = await new Bun.Image(bmp(size, () => [Math.random() * 255, Math.random() * 255, Math.random() * 255]))
    .png()
    .bytes();
  const reduced = await read(noise);
  expect([reduced?.stored, reduced?.copies[0]].map(colourTypeOf)).toEqual([INDEXED, INDEXED]);
  // one colour for each row: a palette would only be added
  const plain = await read(await new Bun.Image(bmp({ width: 1, height: 1 }, () => [9, 9, 9])).png().bytes());
  expect(colourTypeOf(plain?.stored)).not.toBe(INDEXED);
});

test("a large PNG is stored as it was sent, without its texts; its copies come from a smaller image", async () => {
  const large = { width: 2000, height: 1100 };
  const pixels = Buffer.alloc(251 * large.height);
  const image = await read(pngWith(large, pixels, [inflatingChunk("zTXt", 100)]));
  expect(image).toMatchObject(large);
  expect(Buffer.compare(image?.stored ?? Buffer.alloc(0), pngWith(large, pixels))).toBe(0);
  expect(await Promise.all(image?.copies.map(sizeOf) ?? [])).toEqual(["245x135", "1000x550", "750x413", "500x275"]);
  const cut = pngWith(large, pixels).subarray(0, 100);
  expect(await read(cut).catch(({ message }: Error) => message)).toBe("File is not a valid image");
});

test("many PNG files at once are all read, the broken ones among them refused", async () => {
  const [good, other] = [await pngOf(size), await pngOf({ width: 90, height: 50 })];
  const broken = good.subarray(0, good.length / 2);
  const contents = Array.from({ length: 24 }, (_, index) => [good, other, broken][index % 3] ?? broken);
  const settled = await Promise.allSettled(contents.map((content) => read(content)));
  const alone = await Promise.all([read(good), read(other)]);
  for (const [index, result] of settled.entries()) {
    const expected = alone[index % 3];
    expect(result.status).toBe(expected ? "fulfilled" : "rejected");
    if (result.status === "fulfilled") expect(result.value?.stored).toEqual(expected?.stored);
    else expect(result.reason).toMatchObject({ message: "File is not a valid image" });
  }
}, 30_000);

test("work that takes too long is given up, and what comes next is done", async () => {
  const path = join(folder, "slow.png");
  writeFileSync(path, await pngOf(size));
  const work = (within?: number) => runInWorker("read", "png", path, { size, sizes: [] }, within);
  const done = await work();
  const late = expect(work(0)).rejects.toBeInstanceOf(ImageTimeoutError);
  expect(await work()).toEqual(done);
  await late;
});

test("an orientation is not applied and is lost", async () => {
  const sent = turned(await jpegOf(size), 6);
  expect(await sizeOf(sent)).toBe("200x300");
  const image = await read(sent);
  expect(image).toMatchObject(size);
  expect(Buffer.from(image?.stored ?? []).includes("Exif")).toBe(false);
  expect(await sizeOf(image?.stored)).toBe("300x200");
});

test("a GIF is stored as it is, and its copies move like it", async () => {
  const sent = createGif({ width: 260, height: 200 }, 3);
  const image = await read(sent);
  expect(image).toMatchObject({ width: 260, height: 200, stored: undefined });
  const [copy = new Uint8Array()] = image?.copies ?? [];
  expect(measureGif(Buffer.from(copy))).toEqual({ width: 203, height: 156, pixels: 203 * 156 * 3 });
});

test("the frames of a GIF keep their colours", () => {
  const [copy = new Uint8Array()] = copyGif(createGif({ width: 8, height: 8 }, 2), [{ width: 4, height: 4 }]) ?? [];
  const gif = parseGif(Buffer.from(copy));
  const colours = gif?.frames.map((frame) => {
    const [index = 0] = decodeFrame(Buffer.from(copy), frame) ?? [];
    return [...frame.palette.subarray(index * 3, index * 3 + 3)];
  });
  expect(colours).toEqual([
    [0, 0, 0],
    [100, 100, 100],
  ]);
  expect(gif?.frames.map(({ delay }) => delay)).toEqual([10, 10]);
});

test("scaling down averages what each pixel covers, and what is transparent has no colour", () => {
  const row = new Uint8Array([255, 0, 0, 255, 0, 0, 255, 255, 9, 9, 9, 0, 100, 100, 100, 255]);
  expect([...shrink(row, { width: 4, height: 1 }, { width: 2, height: 1 })]).toEqual([
    128, 0, 128, 255, 100, 100, 100, 128,
  ]);
});

test("a WebP of several frames is kept as it was sent", async () => {
  const frames = await read(await movingWebp({ width: 300, height: 200 }));
  expect(frames).toMatchObject({ width: 300, height: 200, stored: undefined });
  expect(await sizeOf(frames?.copies[0])).toBe("234x156");
});

const svgs: [string, string | undefined][] = [
  ['<svg width="40" height="30"/>', "40x30"],
  ['<svg viewBox="0 0 24 12"/>', "24x12"],
  ["<svg viewBox='0,0 24,12'/>", "24x12"],
  ['<svg width="10cm" height="2in"/>', "283x144"],
  ['<svg width="100%" height="50%" viewBox="0 0 40 20"/>', "40x20"],
  ['<svg width="80" viewBox="0 0 40 20"/>', "80x40"],
  ['<svg height="80px" viewBox="0 0 40 20"/>', "160x80"],
  ['<svg width="10.4" height="10.6"/>', "10x11"],
  ['<svg width="2em" height="3pt"/>', "24x3"],
  ['<svg width="10mm" height="5pc"/>', "28x60"],
  [
    '<?xml version="1.0"?>\n<!-- a <svg> -->\n<!DOCTYPE svg [<!ENTITY a "b">]>\n<svg width="3" height="2"></svg>',
    "3x2",
  ],
  ['<x:svg xmlns:x="http://www.w3.org/2000/svg" width="3" height="2"/>', "3x2"],
  ['<svg data-width="9" width="3" height="2" title="a>b"/>', "3x2"],
  ["<svg/>", undefined],
  ['<svg width="10"/>', undefined],
  ["<svgx width='1' height='1'/>", undefined],
  ["<html><svg width='1' height='1'/></html>", undefined],
];
test.each(svgs)("%s measures %s", (text, expected) => {
  const measured = measureSvg(text);
  expect(measured && `${measured.width}x${measured.height}`).toBe(expected);
});

const noImages: [string, string | Uint8Array][] = [
  ["a text", "hello"],
  ["a PDF", PDF],
  ["an SVG that is not closed", '<svg width="3" height="2"><rect>'],
  ["an SVG without a size", "<svg></svg>"],
  ["an SVG of nothing", '<svg width="0" height="0"></svg>'],
  ["an SVG larger than anything", '<svg width="100000" height="100000"></svg>'],
  ["half a PNG header", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0", "latin1")],
  ["a GIF that breaks off", createGif({ width: 300, height: 100 }).subarray(0, 900)],
  ["a GIF without a frame", Buffer.concat([createGif({ width: 3, height: 3 }).subarray(0, 781), Buffer.from([0x3b])])],
  ["a WebP that breaks off", (await webpOf({ width: 300, height: 200 })).subarray(0, 100)],
  ["a TIFF that breaks off", createTiff({ width: 300, height: 100 }).subarray(0, 8)],
  ["a TIFF of nothing but a signature", Buffer.from("MM\0*")],
  ["a TIFF without an entry", Buffer.from("MM\0*\0\0\0\x08\0\0", "latin1")],
  ["a BMP", Buffer.concat([Buffer.from("BM"), Buffer.alloc(60)])],
];
test.each(noImages)("%s is kept as a plain file", async (_, content) => {
  expect(await read(content)).toBeUndefined();
});

test("a TIFF is measured and stored unchanged, in both orders of bytes", async () => {
  const measured = { width: 300, height: 100, stored: undefined, copies: [] };
  expect(await read(createTiff({ width: 300, height: 100 }))).toEqual(measured);
  const entry = (tag: number, type: number, value: readonly number[]): number[] => [
    1,
    tag,
    0,
    type,
    0,
    0,
    0,
    1,
    ...value,
  ];
  const withWidth = (width: readonly number[]): Buffer =>
    Buffer.from([...Buffer.from("MM\0*"), 0, 0, 0, 8, 0, 2, ...entry(0, 4, width), ...entry(1, 3, [0, 100, 0, 0])]);
  expect(await read(withWidth([0, 0, 1, 44]))).toEqual(measured);
  const refused = read(withWidth([1, 0, 0, 0])).catch(({ message }: Error) => message);
  expect(await refused).toBe("File is not a valid image");
});

test("an SVG is measured by its content and never re-encoded", async () => {
  expect(await read(SVG)).toEqual({ width: 40, height: 30, stored: undefined, copies: [] });
});

const jpeg = Buffer.from(await jpegOf({ width: 300, height: 200 }));
const png = Buffer.from(await pngOf({ width: 300, height: 200 }));
const broken: [string, Uint8Array][] = [
  ["a JPEG that breaks off", jpeg.subarray(0, jpeg.length / 2)],
  ["a JPEG without its end", jpeg.subarray(0, -2)],
  ["a PNG that breaks off", png.subarray(0, 200)],
  ["a PNG of a billion pixels", claimingPng({ width: 50_000, height: 20_000 })],
  ["a PNG whose sides overflow", claimingPng({ width: 0x7fffffff, height: 0x7fffffff })],
  ["a GIF of four billion pixels", claimingGif({ width: 65_535, height: 65_535 })],
];
test.each(broken)("%s is refused, quickly", async (_, content) => {
  const start = processTime();
  await expect(read(content)).rejects.toThrow("File is not a valid image");
  expect(processTime() - start).toBeLessThan(1000);
});

test("a JPEG ends where its end is, whatever follows and whatever is in between", () => {
  expect(countScans(jpeg)).toBe(1);
  expect(countScans(Buffer.concat([jpeg, Buffer.from("trailing")]))).toBe(1);
  // the end of a preview inside a segment is not the end of the image
  const preview = Buffer.from([0xff, 0xe1, 0, 6, 0xff, 0xd9, 0xff, 0xd9]);
  const cut = Buffer.concat([jpeg.subarray(0, 2), preview, jpeg.subarray(2, -2)]);
  expect(countScans(cut)).toBeUndefined();
});
