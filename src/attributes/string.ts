/** A short text; 255 characters unless the schema says otherwise. */
import type { ScalarType } from "./attribute-type.ts";
import { textOptions, textType } from "./text-rules.ts";

export const string: ScalarType = { name: "string", ...textType(255), options: textOptions };
