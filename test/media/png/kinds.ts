/** Small PNG files of every kind that there is. */
import { deflateSync } from "node:zlib";
import { type Chunk, SIGNATURE, writeChunk } from "../../../src/media/pictures/png/chunks.ts";

const [WIDTH, HEIGHT] = [45, 37];
const channels = { grey: 1, rgb: 3, palette: 1, "grey and alpha": 2, rgba: 4 } as const;
type Kind = keyof typeof channels;
const codes: Readonly<Record<Kind, number>> = { grey: 0, rgb: 2, palette: 3, "grey and alpha": 4, rgba: 6 };

/** Where each pass of an interlaced file begins, and its steps. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** One of `2 ** bits` values, smooth with some noise. */
function sample(x: number, y: number, channel: number, bits: number): number {
  const value = Math.abs(((x * 1500 + y * 900 * (channel + 1) + ((x * 7919 + y * 104_729) % 700)) % 131_071) - 65_535);
  return value >> (16 - bits);
}

function row(kind: Kind, bits: number, xs: readonly number[], y: number): Buffer {
  const values = xs.flatMap((x) => Array.from({ length: channels[kind] }, (_, channel) => sample(x, y, channel, bits)));
  const packed = values.map((value) => value.toString(2).padStart(bits, "0")).join("");
  const bytes = packed.match(/.{1,8}/g) ?? [];
  return Buffer.from([0, ...bytes.map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2))]);
}

const every = (from: number, to: number, step: number): number[] => {
  const found: number[] = [];
  for (let at = from; at < to; at += step) found.push(at);
  return found;
};

function pngFile(kind: Kind, bits: number, isInterlaced: boolean, extra: readonly Chunk[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([bits, codes[kind], 0, 0, isInterlaced ? 1 : 0], 8);
  const rows = (isInterlaced ? passes : ([[0, 0, 1, 1]] as const)).flatMap(([x, y, right, down]) =>
    every(y, HEIGHT, down).map((at) => row(kind, bits, every(x, WIDTH, right), at)),
  );
  const chunks = [
    { name: "IHDR", data: header },
    ...extra,
    { name: "IDAT", data: deflateSync(Buffer.concat(rows)) },
    { name: "IEND", data: Buffer.alloc(0) },
  ];
  return Buffer.concat([SIGNATURE, ...chunks.map(writeChunk)]);
}

const palette = (bits: number): Chunk => ({
  name: "PLTE",
  data: Buffer.from(Array.from({ length: 3 * 2 ** bits }, (_, at) => at * 83)),
});
const alpha = (bits: number): Chunk => ({
  name: "tRNS",
  data: Buffer.from(Array.from({ length: 2 ** bits - 1 }, (_, at) => at * 61)),
});
const transparent = (...values: number[]): Chunk => ({
  name: "tRNS",
  data: Buffer.from(values.flatMap((value) => [value >> 8, value])),
});
function density(x: number, y: number, unit: number): Chunk {
  const data = Buffer.alloc(9, unit);
  data.writeUInt32BE(x, 0);
  data.writeUInt32BE(y, 4);
  return { name: "pHYs", data };
}

const fixed = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeInt32BE(Math.round(value * 65536), at * 4);
  return bytes;
};
const tag = (name: string, data: Buffer): Buffer => Buffer.concat([Buffer.from(`${name}\0\0\0\0`), data]);

/** A colour profile of version 2: red, green and blue, and the same curve for all. */
function profile(columns: readonly (readonly number[])[], curve: Buffer): Chunk {
  const xyz = [[0.9505, 1, 1.0891], ...columns].map((column) => tag("XYZ ", fixed(...column)));
  const contents = [
    ...["wtpt", "rXYZ", "gXYZ", "bXYZ"].map((name, at): [string, Buffer] => [name, xyz[at] as Buffer]),
    ...["rTRC", "gTRC", "bTRC"].map((name): [string, Buffer] => [name, curve]),
  ];
  const header = Buffer.alloc(132);
  header.writeUInt32BE(0x0210_0000, 8);
  header.write("mntrRGB XYZ ", 12, "latin1");
  header.write("acsp", 36, "latin1");
  fixed(0.9642, 1, 0.8249).copy(header, 68);
  header.writeUInt32BE(contents.length, 128);
  let at = header.length + contents.length * 12;
  const entries = contents.map(([name, data]) => {
    const entry = Buffer.alloc(12);
    entry.write(name, 0, "latin1");
    entry.writeUInt32BE(at, 4);
    entry.writeUInt32BE(data.length, 8);
    at += data.length;
    return entry;
  });
  header.writeUInt32BE(at);
  const bytes = Buffer.concat([header, ...entries, ...contents.map(([, data]) => data)]);
  return { name: "iCCP", data: Buffer.concat([Buffer.from("icc\0\0"), deflateSync(bytes)]) };
}

const srgb = [
  [0.4361, 0.2225, 0.0139],
  [0.3851, 0.7169, 0.0971],
  [0.1431, 0.0606, 0.7141],
];
const wide = [
  [0.5151, 0.2412, -0.0011],
  [0.2919, 0.6922, 0.0419],
  [0.1571, 0.0666, 0.7841],
];
const srgbCurve = tag("para", Buffer.concat([Buffer.from([0, 3, 0, 0]), fixed(2.4, 0.9479, 0.0521, 0.0774, 0.0404)]));
const gammaCurve = tag("curv", Buffer.from([0, 0, 0, 1, 2, 51, 0, 0]));
const tableCurve = tag("curv", Buffer.from([0, 0, 0, 4, 0, 0, 0x12, 0, 0x60, 0, 0xff, 0xff]));

const depths: Readonly<Record<Kind, readonly number[]>> = {
  grey: [1, 2, 4, 8, 16],
  rgb: [8, 16],
  palette: [1, 2, 4, 8],
  "grey and alpha": [8, 16],
  rgba: [8, 16],
};

const plain = (Object.keys(depths) as Kind[]).flatMap((kind) =>
  depths[kind].flatMap((bits) =>
    [false, true].map((isInterlaced): [string, Buffer] => [
      `${kind} with ${bits} bits${isInterlaced ? ", interlaced" : ""}`,
      pngFile(kind, bits, isInterlaced, kind === "palette" ? [palette(bits)] : []),
    ]),
  ),
);

export const pngKinds: Readonly<Record<string, Buffer>> = {
  ...Object.fromEntries(plain),
  "palette with alpha": pngFile("palette", 8, false, [palette(8), alpha(8)]),
  "palette of 4 with alpha": pngFile("palette", 2, false, [palette(2), alpha(2)]),
  "grey with a transparent one": pngFile("grey", 4, false, [transparent(7)]),
  "rgb with a transparent one": pngFile("rgb", 8, false, [transparent(...[0, 1, 2].map((at) => sample(9, 9, at, 8)))]),
  "its own density": pngFile("rgb", 8, false, [density(11_811, 5906, 1)]),
  "density without a unit": pngFile("rgb", 8, false, [density(3, 2, 0)]),
  "density of a wrong length": pngFile("rgb", 8, false, [{ name: "pHYs", data: Buffer.alloc(8) }]),
  "profile of sRGB": pngFile("rgb", 8, false, [profile(srgb, srgbCurve)]),
  "profile of sRGB with another curve": pngFile("rgba", 8, false, [profile(srgb, gammaCurve)]),
  "profile of a wide screen": pngFile("rgba", 8, false, [profile(wide, srgbCurve)]),
  "profile with a table": pngFile("palette", 8, false, [profile(wide, tableCurve), palette(8)]),
  "profile of another kind": pngFile("grey", 8, false, [profile(wide, srgbCurve)]),
  "profile that is none": pngFile("rgb", 8, false, [{ name: "iCCP", data: Buffer.from("icc\0\0nothing") }]),
  gamma: pngFile("rgb", 8, false, [{ name: "gAMA", data: Buffer.from([0, 1, 0x86, 0xa0]) }]),
};
