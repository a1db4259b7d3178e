/** One tool in place of Strapi's tools of content-types, where these are too many to be listed: 100 types have 8 MB of schemas. */
import { z } from "zod";
import { notFound, validationError } from "../../../lib/errors.ts";
import { type LazyTool, lazyTool } from "../tool.ts";
import { shortened } from "./answers.ts";

/** Tools of content-types that are listed one by one. Twenty have some 50 KB of schemas, which an agent reads before each answer. */
export const MAX_LISTED = 20;

const input = z.strictObject({
  tool: z
    .string()
    .max(300)
    .describe("list_, get_, create_, update_, delete_ or publish_ and a type, such as update_article"),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

export function typeTool(tools: readonly LazyTool[]): LazyTool {
  const byName = new Map(tools.map((each) => [each.name, each]));
  return lazyTool("type_tool", () => ({
    name: "type_tool",
    title: "Use a tool of a content-type",
    description:
      "Calls a tool of a content-type, as Strapi has them: list_, get_, create_, update_, delete_, publish_, unpublish_ and discard_…_draft; write_ of a single type. Without arguments it shows which ones the tool takes.",
    input,
    run: async (args, request) => {
      const { tool: name, arguments: given } = args as z.infer<typeof input>;
      const found = byName.get(name)?.create();
      if (!found)
        throw notFound(
          `There is no tool ${name}: update_article is one of api::article.article, and model_show lists types`,
        );
      const { description, input: schema } = found;
      if (!given)
        return { tool: name, description, arguments: shortened(schema ? z.toJSONSchema(schema) : {}, "the type") };
      // Strapi's tools ignore what they do not know, such as limit for pageSize
      const parsed = schema?.strict().safeParse(given);
      if (parsed?.success === false) throw validationError(z.prettifyError(parsed.error));
      return found.run(parsed?.data ?? {}, request);
    },
  }));
}
