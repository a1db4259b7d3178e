/** Tools for what `config/galley.json` declares: permissions of roles, and locales. */
import { z } from "zod";
import { readChange } from "../../../admin/access/config-changes.ts";
import { changeConfig, previewConfig } from "../../../admin/config-file.ts";
import { addLocale, listLocales } from "../../../admin/i18n/locales.ts";
import { Roles } from "../../../engine/access/roles.ts";
import { notFound } from "../../../lib/errors.ts";
import { fitting, textPart } from "./answers.ts";
import { always, type DevelopmentTool, tool } from "./tool.ts";

/** Of the file, escaped as JSON. */
const MAX_SHOWN = 10_000;

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
    run: async ({ services }, { role, add = [], remove = [], apply }) => {
      const roles = new Roles(services.context);
      const listed = roles.list();
      const found = listed.find(({ type }) => type === role);
      if (!found) throw notFound(`There is no role ${role}: there are ${listed.map(({ type }) => type).join(", ")}`);
      const granted = [...roles.actions(found.id as number)];
      if (add.length + remove.length === 0) return { role, actions: fitting(granted).shown, total: granted.length };
      const actions = [...new Set([...granted, ...add])].filter((action) => !remove.includes(action));
      const change = readChange(services.context.model, "role", { type: role, actions });
      const { mark, after } = previewConfig(services, change);
      if (!apply) return { wouldWrite: textPart(after, 0, MAX_SHOWN).text };
      await changeConfig(services, change, mark);
      return { role, actions: fitting(actions).shown, total: actions.length };
    },
  }),
  tool({
    name: "locale_add",
    title: "Add a locale",
    description: "Adds a locale to the project. Documents of localized types can be written in it then.",
    input: z.strictObject({
      code: z.string().max(20).describe("Such as fr or pt-BR"),
      name: z.string().max(50).optional(),
      isDefault: z.boolean().optional(),
    }),
    changes: always,
    run: async ({ services }, { isDefault = false, ...locale }) => {
      await addLocale(services, { ...locale, isDefault });
      return { locales: [...listLocales(services.context).map(({ code }) => code)] };
    },
  }),
];
