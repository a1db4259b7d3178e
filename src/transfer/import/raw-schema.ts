/** Creates the schema of an archive that is served without a project. */
import { builtinTypes, USER } from "../../engine/schema/builtin/index.ts";
import type { ComponentDefinition, ContentTypeDefinition, RawSchema } from "../../engine/schema/definition.ts";
import type { ArchiveSchema } from "../archive/shapes.ts";
import { createDefinition, schemaPath } from "./schema-files.ts";

const parseName = (uid: string): string => uid.slice(uid.indexOf(".") + 1);

/** Plugin types are the built-in ones, except for the user type, which projects extend. */
export function rawSchema(schemas: ReadonlyMap<string, ArchiveSchema>): RawSchema {
  const user = schemas.get(USER);
  const plugins = Object.entries(builtinTypes).map(([uid, builtin]) => ({
    uid,
    file: `<${uid}>`,
    folder: parseName(uid),
    definition:
      uid === USER && user ? { ...builtin, ...(createDefinition(user) as unknown as ContentTypeDefinition) } : builtin,
  }));
  const own = [...schemas.values()].filter((schema) => schema.uid !== USER && schemaPath(schema) !== undefined);
  const types = own
    .filter(({ modelType }) => modelType === "contentType")
    .map((schema) => ({
      uid: schema.uid,
      file: schemaPath(schema)!,
      folder: parseName(schema.uid),
      definition: createDefinition(schema) as unknown as ContentTypeDefinition,
    }));
  const components = own
    .filter(({ modelType }) => modelType === "component")
    .map((schema) => ({
      uid: schema.uid,
      file: schemaPath(schema)!,
      category: schema.uid.slice(0, schema.uid.indexOf(".")),
      definition: createDefinition(schema) as unknown as ComponentDefinition,
    }));
  return { types: [...plugins, ...types], components };
}
