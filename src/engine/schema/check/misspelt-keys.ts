/** Finds keys that nothing reads, and that are nearly those of a schema file. Strapi ignores them. */
import { hintFor } from "../../../lib/nearest.ts";
import type { ContentTypeDefinition } from "../definition.ts";
import type { ShapeProblem } from "./shapes.ts";

/** Shorter keys are near to many. */
const MIN_LENGTH = 4;

export function misspeltKeys(value: object, known: readonly string[]): ShapeProblem[] {
  return Object.keys(value).flatMap((key) => {
    const hint = key.length < MIN_LENGTH || known.includes(key) ? "" : hintFor(key, known);
    return hint === "" ? [] : [{ key, reason: `is not a known key${hint}` }];
  });
}

const FILE_KEYS = ["kind", "collectionName", "info", "options", "pluginOptions", "attributes"];
const OPTIONS = ["draftAndPublish", "privateAttributes", "populateCreatorFields"];

/** In a content-type or component, besides its attributes. */
export const misspeltKeysOfFile = (definition: Pick<ContentTypeDefinition, "options">): ShapeProblem[] => [
  ...misspeltKeys(definition, FILE_KEYS),
  ...misspeltKeys(definition.options ?? {}, OPTIONS).map(({ key, reason }) => ({ key: `options.${key}`, reason })),
];
