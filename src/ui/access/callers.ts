/** The caller as whom a request is explained: the public, a role, or a token. */
import type { Role } from "./access-model.ts";

export type CallerName =
  | { readonly kind: "public" }
  | { readonly kind: "role"; readonly name: string }
  | { readonly kind: "token"; readonly name: string };

/** A string for URLs and for the options of a select. */
export const callerKey = (caller: CallerName): string =>
  caller.kind === "public" ? "public" : `${caller.kind}:${caller.name}`;

export function readCaller(key: string | null): CallerName {
  const [, kind, name] = /^(role|token):(.+)$/s.exec(key ?? "") ?? [];
  if (name === undefined || (kind !== "role" && kind !== "token")) return { kind: "public" };
  return { kind, name };
}

/** `tokens`: their names. */
export function callerChoices(
  roles: readonly Role[],
  tokens: readonly string[],
): readonly (readonly [key: string, label: string])[] {
  const others = roles.filter(({ type }) => type !== "public");
  return [
    ["public", "The public"],
    ...others.map(({ type, name }) => [callerKey({ kind: "role", name: type }), `Role ${name}`] as const),
    ...tokens.map((name) => [callerKey({ kind: "token", name }), `Token ${name}`] as const),
  ];
}
