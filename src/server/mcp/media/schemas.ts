/** What the schemas of the media tools have in common: assets and folders have numeric ids. */
import { z } from "zod";

const MAX_IDS = 100;

const id = z.number().int().min(1);
export const assetId = id.describe("Id of an asset");
export const folderId = id.describe("Id of a folder");
export const ids = (item: typeof id) => z.array(item).min(1).max(MAX_IDS);
export const orRoot = folderId.nullable().describe("Id of a folder; null is the root of the library");
export const preview = z.boolean().optional().describe("Only show what would be deleted; true by default");
export const shownText = z.string().nullable().optional();

export type Advice = readonly (readonly [keys: readonly string[], message: string])[];

/** Refuses unknown keys; those of another tool with a message that names it. */
export const strict = <Shape extends z.ZodRawShape>(shape: Shape, advice: Advice = []) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      const unknown = issue.keys as readonly string[];
      return advice.find(([keys]) => keys.some((key) => unknown.includes(key)))?.[1];
    },
  });

export const parent = z.object({ id: z.number(), name: z.string().optional() }).nullable();
export const time = z.string().nullable().optional();
