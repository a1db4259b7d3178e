/** The input of `blocks` attributes: a list of block nodes. */
import { z } from "zod";

const text = z
  .object({
    type: z.literal("text"),
    text: z.string(),
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    underline: z.boolean().optional(),
    strikethrough: z.boolean().optional(),
    code: z.boolean().optional(),
  })
  .describe("A text with its formats");
const link = z
  .object({ type: z.literal("link"), url: z.string(), children: z.array(text).min(1) })
  .describe("A link in a text");
const inline = z.array(z.discriminatedUnion("type", [text, link])).min(1);
const optionalText = z.string().nullable().optional();

const heading = z.object({
  type: z.literal("heading"),
  level: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5), z.literal(6)]),
  children: inline,
});
const code = z.object({ type: z.literal("code"), language: optionalText, children: z.array(text).min(1) });
const image = z.object({
  type: z.literal("image"),
  image: z
    .object({
      name: z.string(),
      alternativeText: optionalText,
      url: z.string(),
      caption: optionalText,
      width: z.number(),
      height: z.number(),
      formats: z.record(z.string(), z.unknown()).nullable().optional(),
      hash: z.string(),
      ext: z.string(),
      mime: z.string(),
      size: z.number(),
      previewUrl: optionalText,
      provider: z.string(),
      provider_metadata: z.unknown().nullable().optional(),
      createdAt: z.string(),
      updatedAt: z.string(),
    })
    .describe("A file of the media library"),
  children: z.array(z.object({ type: z.literal("text"), text: z.literal("") })).length(1),
});
const withText = <Name extends string>(name: Name) => z.object({ type: z.literal(name), children: inline });
const item = withText("list-item");
const list: z.ZodType = z.object({
  type: z.literal("list"),
  format: z.enum(["ordered", "unordered"]),
  indentLevel: z.number().optional(),
  children: z.array(z.lazy(() => z.union([item, list]))).min(1),
});
const block = z.discriminatedUnion("type", [withText("paragraph"), heading, withText("quote"), code, image]);

export const blocksInput = z.array(z.union([block, list])).describe("Block nodes");
