/** A secret, stored as a bcrypt hash: never returned, and refused in queries. The document service hashes it before a write. */
import type { ScalarType } from "./attribute-type.ts";
import { textOptions, textType } from "./text-rules.ts";

const { search: _notSearched, ...base } = textType();

export const password: ScalarType = { name: "password", ...base, isSecret: true, options: textOptions };
