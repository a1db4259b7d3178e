/** Lists API tokens, and validates requests for them: name, description and lifespan. */

import type { TokenRecord } from "../../engine/access/access.ts";
import { LIFESPANS } from "../../engine/access/tokens.ts";
import { toText, unstorable } from "../../lib/coerce.ts";
import { notFound, type Problem, problemsError } from "../../lib/errors.ts";
import { checkShape, maxCharacters, notEmpty, type Shape } from "../../lib/shape.ts";
import { type Fields, number, objectOf } from "../body.ts";
import type { AdminCall, Body } from "../call.ts";
import type { AdminServices } from "../services.ts";

const KEY_BYTES = 64;
const MAX_NAME = 255;

const LIFESPAN_MESSAGE = `must be one of the following values: ${LIFESPANS.join(", ")}`;

export const createKey = (): string => crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();

/** Tokens of administrators, or of the Content API, by name, and the one that a request names. */
export function listedTokens({ tokens }: AdminServices, isAdmin: boolean) {
  const all = (): TokenRecord[] =>
    tokens
      .list()
      .filter(({ type }) => (type === "admin") === isAdmin)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  const find = ({ params }: AdminCall): TokenRecord | undefined => all().find(({ id }) => String(id) === params.id);
  const findOrThrow = (call: AdminCall): TokenRecord => {
    const found = find(call);
    if (!found) throw notFound("API Token not found");
    return found;
  };
  return { all, find, findOrThrow };
}

export const shownLifespan = ({ lifespan }: TokenRecord): string | null =>
  lifespan === null ? null : String(lifespan);

const name: Shape = { type: "string", tests: [notEmpty, maxCharacters(MAX_NAME), unstorable] };

const trimmed = (value: unknown): string => toText(value ?? "").trim();

/** Validates a body by `fields` and the fields of all tokens. Returns it with trimmed strings. */
export function readToken(input: Body, fields: Fields, isNew: boolean): Body {
  const problems: Problem[] = [];
  const textFields = {
    name: { ...name, required: isNew },
    description: { type: "string", nullable: !isNew, tests: [unstorable] },
  } as const;
  const trimmedInput = {
    ...input,
    ...(isNew || Object.hasOwn(input, "name") ? { name: trimmed(input.name) } : {}),
    ...(Object.hasOwn(input, "description") ? { description: trimmed(input.description) } : {}),
  };
  const value = checkShape(
    objectOf({ ...textFields, ...fields }, { exact: !isNew }),
    trimmedInput,
    "",
    problems,
  ) as Body;
  if (isNew) problems.push(...lifespanProblems(input.lifespan));
  if (problems.length > 0) throw problemsError(problems);
  return value;
}

const isUnlimited = (lifespan: unknown): boolean => lifespan === undefined || lifespan === null || lifespan === "";

function lifespanProblems(lifespan: unknown): Problem[] {
  if (isUnlimited(lifespan) || LIFESPANS.includes(lifespan as number)) return [];
  const path = "lifespan";
  const isNumber = typeof lifespan === "number";
  const type = isNumber ? [] : numberProblems(lifespan);
  return [...type, { path, message: `${path} ${LIFESPAN_MESSAGE}`, value: lifespan }];
}

function numberProblems(value: unknown): Problem[] {
  const problems: Problem[] = [];
  checkShape(number, value, "lifespan", problems);
  return problems;
}
