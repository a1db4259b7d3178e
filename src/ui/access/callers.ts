/** The caller as whom a request is explained: the public, a role, or a token. */
import type { Access } from "./access-model.ts";

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

export interface CallerChoice {
  readonly key: string;
  readonly label: string;
}

/** `tokens`: their names. */
export function callerChoices({ roles }: Pick<Access, "roles">, tokens: readonly string[]): readonly CallerChoice[] {
  const others = roles.filter(({ type }) => type !== "public");
  return [
    { key: "public", label: "The public" },
    ...others.map(({ type, name }) => ({ key: callerKey({ kind: "role", name: type }), label: `Role ${name}` })),
    ...tokens.map((name) => ({ key: callerKey({ kind: "token", name }), label: `Token ${name}` })),
  ];
}
