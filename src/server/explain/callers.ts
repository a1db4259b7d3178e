/** Callers that the administrator chooses. Their permissions come from the functions that authenticate requests. */

import type { Ability } from "../../engine/access/access.ts";
import { createTokenAbility } from "../../engine/access/tokens.ts";
import { ApiError, invalidCredentials, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Project } from "../project/project.ts";
import type { CallerName } from "./step.ts";

export interface Caller {
  readonly name: CallerName;
  /** For messages: "the role Public". */
  readonly text: string;
  /** Throws the UnauthorizedError that requests of this caller get. */
  readonly identify: () => Ability;
}

/** Throws a ValidationError for an unknown caller. */
export function chosenCaller({ access, context }: Project, choice: unknown): Caller {
  const { kind, name } = isRecord(choice) ? choice : { kind: choice, name: undefined };
  if (kind === undefined || kind === "public" || (kind === "role" && name === "public")) {
    // without credentials, `identify` returns synchronously
    return {
      name: { kind: "public" },
      text: "the role Public",
      identify: () => access.access.identify(null) as Ability,
    };
  }
  if (kind === "role") {
    const role = access.roles.list().find(({ type }) => type === name);
    if (!role) throw validationError(`There is no role ${String(name)}`);
    return {
      name: { kind, type: String(name) },
      text: `the role ${String(role.name)}`,
      identify: () => access.access.ofRole(role.id as number),
    };
  }
  const token = access.tokens.list().find((item) => kind === "token" && item.name === name);
  if (!token) throw validationError(kind === "token" ? `There is no token ${String(name)}` : "There is no such caller");
  return {
    name: { kind: "token", name: token.name },
    text: `the token ${token.name}`,
    identify: () => {
      if (token.type === "admin") throw invalidCredentials();
      const isValid = token.expiresAt === null || Date.parse(token.expiresAt) > context.clock.now();
      if (!isValid) throw new ApiError("UnauthorizedError", "Token expired");
      return createTokenAbility(token);
    },
  };
}
