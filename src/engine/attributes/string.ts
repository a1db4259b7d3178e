/** A short string of up to 255 characters, or the schema's maximum. */
import type { ScalarType } from "./attribute-type.ts";
import { textOptions, textType } from "./text-rules.ts";

export const string: ScalarType = { name: "string", ...textType(255), options: textOptions };
