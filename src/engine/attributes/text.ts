/** A long text. */
import type { ScalarType } from "./attribute-type.ts";
import { textOptions, textType } from "./text-rules.ts";

export const text: ScalarType = { name: "text", ...textType(), isLong: true, options: textOptions };
