/** An e-mail address; its case is preserved. */
import type { Rule, ScalarType } from "./attribute-type.ts";
import { minLength, textOptions, textType } from "./text-rules.ts";

const letter = "a-z\\u00A0-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF";
const ATOM = `[${letter}\\d!#$%&'*+\\-/=?^_\`{|}~]+`;
const LOCAL = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|"[^"\\\\\\r\\n]+")$`, "i");
const LABEL = new RegExp(`^[${letter}\\d](?:[${letter}\\d\\-_~]*[${letter}\\d])?$`, "i");
const TOP_LABEL = new RegExp(`^[${letter}](?:[${letter}\\d\\-_~]*[${letter}])?$`, "i");

/** Checked label by label, to avoid backtracking in a regular expression. */
export function isEmail(value: string): boolean {
  const at = value.lastIndexOf("@");
  if (at < 1) return false;
  const labels = value.slice(at + 1).split(".");
  const top = labels.pop();
  if (labels.length === 0 || top === undefined || !TOP_LABEL.test(top)) return false;
  return LOCAL.test(value.slice(0, at)) && labels.every((label) => LABEL.test(label));
}

const address: Rule = (value: string, _definition, { path, draft }) =>
  draft || value === "" || isEmail(value) ? undefined : `${path} must be a valid email`;

const notEmpty: Rule = (value: string, _definition, { path, draft }) =>
  draft || value !== "" ? undefined : `${path} cannot be empty`;

const base = textType();

export const email: ScalarType = {
  name: "email",
  ...base,
  // as in Strapi, the rule against empty strings replaces the schema's minimum length
  rules: [...base.rules!.filter((rule) => rule !== minLength), address, notEmpty],
  graphqlName: "String",
  options: textOptions,
};
