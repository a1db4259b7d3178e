/** The project whose server is killed, and the changes that its schema goes through. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const TOKEN = "kill-full-access";
export const HEADERS = { authorization: `Bearer ${TOKEN}` };

/** One of the forms that the schema of posts may have. All of them have the attributes that are written. */
export interface SchemaForm {
  readonly collectionName: string;
  readonly size: "integer" | "string";
  readonly more: boolean;
}

export const FIRST_FORM: SchemaForm = { collectionName: "posts", size: "integer", more: false };

function write(root: string, path: string, content: unknown): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

export function writeSchema(root: string, { collectionName, size, more }: SchemaForm): void {
  write(root, "src/api/post/content-types/post/schema.json", {
    kind: "collectionType",
    collectionName,
    info: { singularName: "post", pluralName: "posts", displayName: "post" },
    options: { draftAndPublish: true },
    attributes: {
      title: { type: "string" },
      copy: { type: "string" },
      size: { type: size },
      rows: { type: "component", component: "part.row", repeatable: true },
      tags: { type: "relation", relation: "manyToMany", target: "api::tag.tag" },
      ...(more ? { more: { type: "string" } } : {}),
    },
  });
}

export function writeProject(root: string): void {
  write(root, "config/galley.json", { tokens: [{ name: "full", type: "full-access", key: TOKEN }] });
  write(root, "src/components/part/row.json", {
    collectionName: "components_part_row",
    info: { displayName: "row" },
    attributes: { name: { type: "string" } },
  });
  write(root, "src/api/tag/content-types/tag/schema.json", {
    kind: "collectionType",
    collectionName: "tags",
    info: { singularName: "tag", pluralName: "tags", displayName: "tag" },
    options: { draftAndPublish: false },
    attributes: { label: { type: "string" } },
  });
  writeSchema(root, FIRST_FORM);
}
