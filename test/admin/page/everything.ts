/** A project whose main type has an attribute of every type. */
import { componentFile, relation, typeFile } from "../../project.ts";
import type { AdminServer } from "./admin-page.ts";

const localized = { pluginOptions: { i18n: { localized: true } } };

export const EVERYTHING = "api::everything.everything";
export const TAG = "api::tag.tag";

export const files = {
  ...componentFile("parts.quote", { text: { type: "text", required: true }, source: { type: "string" } }),
  ...componentFile("parts.image", { caption: { type: "string" }, tags: relation("manyToMany", "tag") }),
  ...typeFile("tag", { name: { type: "string" } }),
  ...typeFile("about", { heading: { type: "string", required: true } }, { kind: "singleType", draftAndPublish: true }),
  ...typeFile(
    "everything",
    {
      title: { type: "string", required: true, minLength: 3, ...localized },
      slug: { type: "uid", targetField: "title", ...localized },
      summary: { type: "text", ...localized },
      story: { type: "richtext" },
      body: { type: "blocks" },
      count: { type: "integer" },
      big: { type: "biginteger" },
      price: { type: "decimal" },
      ratio: { type: "float" },
      open: { type: "boolean" },
      day: { type: "date" },
      at: { type: "time" },
      when: { type: "datetime" },
      mood: { type: "enumeration", enum: ["calm", "loud"] },
      style: { type: "enumeration", enum: ["plain", "bold"], default: "plain" },
      data: { type: "json" },
      secret: { type: "password" },
      contact: { type: "email" },
      hidden: { type: "string", private: true },
      cover: { type: "media", multiple: false, allowedTypes: ["images"] },
      files: { type: "media", multiple: true },
      tags: relation("manyToMany", "tag"),
      first: relation("oneToOne", "tag"),
      lead: { type: "component", component: "parts.quote" },
      quotes: { type: "component", component: "parts.quote", repeatable: true },
      zone: { type: "dynamiczone", components: ["parts.quote", "parts.image"] },
    },
    { draftAndPublish: true, localized: true },
  ),
  "config/galley.json": JSON.stringify({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
  }),
};

/** The tags red, green and blue. */
export async function makeTags({ galley }: Pick<AdminServer, "galley">): Promise<Record<string, unknown>[]> {
  const tags = [];
  for (const name of ["red", "green", "blue"]) tags.push(await galley.documents(TAG).create({ data: { name } }));
  return tags;
}
