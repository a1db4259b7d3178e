/** Tools that explain requests: each check, and what a caller gets. */
import { z } from "zod";
import { API_PATH } from "../../../admin/session/session.ts";
import { CONTENT_NOTICE, shortened } from "./answers.ts";
import { type DevelopmentTool, tool } from "./tool.ts";

export const caller = z
  .union([z.literal("public"), z.object({ kind: z.enum(["role", "token"]), name: z.string().max(100) }).strict()])
  .optional()
  .describe('public by default, or { "kind": "role", "name": "authenticated" }, or a token');

export const explainTools: readonly DevelopmentTool[] = [
  tool({
    name: "query_as",
    title: "Ask as a role",
    description:
      "Explains a REST request or a GraphQL operation of a caller: each check with its outcome, why it is refused or what is left out, and the answer of a read with the SQL that it runs. Writes are not made.",
    input: z
      .object({
        as: caller,
        method: z.enum(["GET", "POST", "PUT", "DELETE"]).optional(),
        url: z.string().max(16_000).optional().describe("/api/articles?populate=author"),
        graphql: z.string().max(100_000).optional(),
        variables: z.record(z.string(), z.unknown()).optional(),
      })
      .strict(),
    run: async ({ ask }, { as, method, url, graphql, variables }) => {
      const { steps, answer } = await ask("POST", `${API_PATH}/explain`, {
        body: { caller: as, method, url, query: graphql, variables },
      });
      return { steps, ...(answer === undefined ? {} : { notice: CONTENT_NOTICE, answer: shortened(answer) }) };
    },
  }),
];
