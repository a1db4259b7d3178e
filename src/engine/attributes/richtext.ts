/** Markdown, stored unchanged. */
import type { ScalarType } from "./attribute-type.ts";
import { textOptions, textType } from "./text-rules.ts";

export const richtext: ScalarType = { name: "richtext", ...textType(), isLong: true, options: textOptions };
