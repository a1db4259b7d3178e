/** Tools for permissions of roles, which `config/galley.json` declares. */
import { z } from "zod";
import { API_PATH } from "../../../admin/session/session.ts";
import { notFound } from "../../../lib/errors.ts";
import { fitting, textPart } from "./answers.ts";
import { type DevelopmentTool, tool } from "./tool.ts";

/** Of the file, escaped as JSON. */
const MAX_SHOWN = 10_000;

interface Role {
  readonly type: string;
  readonly actions: readonly string[];
}

export const accessTools: readonly DevelopmentTool[] = [
  tool({
    name: "access_grant",
    title: "Permit actions to a role",
    description:
      "Adds actions such as api::article.article.find to a role, and takes others from it. Shows the changed file unless apply is true; without actions it lists those of the role.",
    input: z.strictObject({
      role: z.string().max(100).describe("public, authenticated or another type"),
      add: z.array(z.string().max(200)).max(200).optional(),
      remove: z.array(z.string().max(200)).max(200).optional(),
      apply: z.boolean(),
    }),
    changes: (args) => args.apply,
    run: async ({ ask }, { role, add = [], remove = [], apply }) => {
      const { roles } = (await ask("GET", `${API_PATH}/access`)) as { readonly roles: readonly Role[] };
      const found = roles.find(({ type }) => type === role);
      if (!found) throw notFound(`There is no role ${role}: there are ${roles.map(({ type }) => type).join(", ")}`);
      if (add.length + remove.length === 0)
        return { role, actions: fitting(found.actions).shown, total: found.actions.length };
      const actions = [...new Set([...found.actions, ...add])].filter((action) => !remove.includes(action));
      const body = { kind: "role", change: { type: role, actions } };
      const { mark, after } = await ask("POST", `${API_PATH}/access/preview`, { body });
      if (!apply) return { wouldWrite: textPart(String(after), 0, MAX_SHOWN).text };
      await ask("POST", `${API_PATH}/access/change`, { body: { ...body, mark } });
      return { role, actions: fitting(actions).shown, total: actions.length };
    },
  }),
];
