/** Which differences of answers break a client, and of which attributes they are. */
import { apiTypes, findTarget, type Model, routeName, type Schema } from "../../engine/schema/model.ts";
import type { AnswerDifference, DifferenceKind } from "./compare-answers.ts";

const BREAKING: ReadonlySet<DifferenceKind> = new Set(["status", "gone", "null", "type"]);

/** Whether a client that reads what is there cannot read what is here. Other values are no break, nor what is new. */
export const isBreak = ({ kind, there }: AnswerDifference): boolean =>
  BREAKING.has(kind) && !(kind === "status" && Number(there) >= 400);

/**
 * The attribute at a path such as "data[].author.name" of the answer to a request below `prefix`; undefined if it is in none of a content-type, or
 * in one of several.
 */
export function attributeAt(model: Model, prefix: string, url: string, path: string): string | undefined {
  const route = url.slice(prefix.length + 1).split(/[/?]/, 1)[0];
  let schema: Schema | undefined = apiTypes(model).find((type) => routeName(type) === route);
  const [top, ...names] = path.replaceAll("[]", "").split(".");
  if (top !== "data") return undefined;
  for (const [index, name] of names.entries()) {
    if (!schema) return undefined;
    if (index === names.length - 1) return `${schema.uid}.${name}`;
    const attribute = schema.attributes.get(name);
    schema = attribute && findTarget(model, attribute);
  }
  return undefined;
}
