/** A string for URLs: unique, with a limited character set. The Content API does not generate it. */
import type { Rule, ScalarType } from "./attribute-type.ts";
import { matches, matchesSchema, textOptions, textType } from "./text-rules.ts";

const UID_CHARACTERS = /^[A-Za-z0-9-_.~]*$/;

const characters: Rule = (value: string, definition, { path, draft }) => {
  if (draft) return undefined;
  return typeof definition.regex === "string"
    ? matchesSchema(definition.regex, value, path)
    : matches(UID_CHARACTERS, value, path);
};

const base = textType();

export const uid: ScalarType = {
  name: "uid",
  ...base,
  rules: [...base.rules!, characters],
  options: (t) => ({
    ...textOptions!(t),
    targetField: t.Optional(t.String()),
    options: t.Optional(t.Record(t.String(), t.Unknown())),
  }),
};
