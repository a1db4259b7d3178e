/** A secret: stored as a bcrypt hash, never answered, never a key of a query. Documents hash it before they write. */
import type { ScalarType } from "./attribute-type.ts";
import { textOptions, textType } from "./text-rules.ts";

const { search: _notSearched, ...base } = textType();

export const password: ScalarType = { name: "password", ...base, secret: true, options: textOptions };
