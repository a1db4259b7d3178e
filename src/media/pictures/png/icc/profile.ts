/** Reads colour profiles that are three curves and a matrix. */
import { type Curve, fixed, readCurve } from "./curves.ts";

export type Matrix = readonly number[];

export interface Profile {
  readonly curves: readonly Curve[];
  /** To the colour space in which profiles meet, by rows. */
  readonly matrix: Matrix;
}

function readTags(bytes: Buffer): Map<string, Buffer> {
  const tags = new Map<string, Buffer>();
  for (let at = 132; at < 132 + bytes.readUInt32BE(128) * 12; at += 12) {
    const from = bytes.readUInt32BE(at + 4);
    tags.set(bytes.toString("latin1", at, at + 4), bytes.subarray(from, from + bytes.readUInt32BE(at + 8)));
  }
  return tags;
}

function parse(bytes: Buffer): Profile | undefined {
  if (bytes.toString("latin1", 16, 24) !== "RGB XYZ ") return undefined;
  const tags = readTags(bytes);
  if (tags.has("A2B0") || tags.has("D2B0")) return undefined;
  const columns = ["rXYZ", "gXYZ", "bXYZ"].map((name) => tags.get(name));
  const curves = ["rTRC", "gTRC", "bTRC"].map((name) => {
    const tag = tags.get(name);
    return tag && readCurve(tag);
  });
  if (!columns.every((tag) => tag !== undefined) || !curves.every((curve) => curve !== undefined)) return undefined;
  return { curves, matrix: [8, 12, 16].flatMap((at) => columns.map((tag) => fixed(tag, at))) };
}

/** Undefined for one of another kind, and for one that breaks off. */
export function readProfile(bytes: Buffer): Profile | undefined {
  try {
    return parse(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
