/** `/admin/api-tokens`: tokens of the Content API. Those of `config/galley.json` are read-only here: the file owns them. */

import type { TokenRecord, TokenType } from "../../engine/access/access.ts";
import { actionNames } from "../../engine/access/action-names.ts";
import { readLifespan } from "../../engine/access/tokens.ts";
import { applicationError, validationError } from "../../lib/errors.ts";
import { type Fields, listOf, objectBody, text } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { createKey, listedTokens, readToken, shownLifespan } from "./token-input.ts";

const TYPES = ["read-only", "full-access", "custom"];
const PATH = "/admin/api-tokens";

const fields: Fields = {
  type: { ...text, oneOf: TYPES },
  permissions: listOf(text, { nullable: true }),
};

const shown = ({ origin: _, ...token }: TokenRecord) => ({
  ...token,
  kind: "content-api",
  lifespan: shownLifespan(token as TokenRecord),
});

/** Throws a ValidationError. `before`: the token that the body changes. */
function readApiToken(
  { context, extraActions }: AdminServices,
  input: Readonly<Record<string, unknown>>,
  before?: TokenRecord,
) {
  const { name, description, type, permissions } = readToken(input, fields, before === undefined);
  const next = {
    name: (name ?? before?.name) as string,
    description: (description ?? before?.description ?? "") as string,
    type: (type ?? before?.type ?? "read-only") as TokenType,
  };
  const requested = permissions as readonly string[] | null | undefined;
  if (next.type !== "custom") {
    if (requested && requested.length > 0) throw validationError("Non-custom tokens should not reference permissions");
    return { ...next, permissions: [] };
  }
  // a custom token keeps its permissions if the body has none
  const kept = before?.type === "custom" ? before.permissions : undefined;
  const actions = requested === undefined ? kept : requested;
  if (!actions) throw validationError("Missing permissions attribute for custom token");
  const allActions = new Set([...actionNames(context.model), ...extraActions()]);
  const unknown = actions.filter((action) => !allActions.has(action));
  if (unknown.length > 0) throw validationError(`Unknown permissions provided: ${unknown.join(", ")}`);
  const unchanged = (before?.permissions ?? []).filter((action) => actions.includes(action));
  return { ...next, permissions: [...new Set([...unchanged, ...actions])] };
}

export function apiTokenRoutes(services: AdminServices): AdminRoute[] {
  const { tokens, context } = services;
  const { all, find, findOrThrow } = listedTokens(services, false);
  const requireEditable = (token: TokenRecord): TokenRecord => {
    if (token.origin !== "config") return token;
    throw applicationError(`The token "${token.name}" is from config/galley.json: change it there`);
  };
  const refuseTaken = (name: string, id?: number): void => {
    if (tokens.list().some((token) => token.name === name && token.id !== id))
      throw applicationError("Name already taken");
  };
  const byName = (name: string): TokenRecord => all().find((token) => token.name === name)!;
  const write = (work: () => void): Promise<void> => context.storage.write(work);
  return [
    route("GET", PATH, () => ok({ data: all().map(shown) })),
    route("POST", PATH, async ({ body }) => {
      const input = await body();
      const token = readApiToken(services, input);
      const key = createKey();
      await write(() => {
        refuseTaken(token.name);
        tokens.put({
          ...token,
          ...readLifespan(input.lifespan, context.clock.now()),
          key,
          origin: "command",
          canBeShown: true,
        });
      });
      return { status: 201, body: { data: { ...shown(byName(token.name)), accessKey: key } } };
    }),
    route("GET", `${PATH}/:id`, (call) => {
      const token = findOrThrow(call);
      const accessKey = tokens.readKey(token.id);
      return ok({ data: accessKey === undefined ? shown(token) : { ...shown(token), accessKey } });
    }),
    route("PUT", `${PATH}/:id`, async (call) => {
      const input = await objectBody(call);
      readToken(input, fields, false);
      const before = requireEditable(findOrThrow(call));
      const token = readApiToken(services, input, before);
      await write(() => {
        refuseTaken(token.name, before.id);
        tokens.change(before.id, token);
      });
      return ok({ data: shown(byName(token.name)) });
    }),
    route("POST", `${PATH}/:id/regenerate`, async (call) => {
      const {
        id,
        createdAt: _created,
        updatedAt: _updated,
        lastUsedAt: _used,
        ...token
      } = requireEditable(findOrThrow(call));
      const key = createKey();
      await write(() => tokens.put({ ...token, key, canBeShown: true }));
      return { status: 201, body: { data: { id, accessKey: key, kind: "content-api" } } };
    }),
    route("DELETE", `${PATH}/:id`, async (call) => {
      const found = find(call);
      if (!found) return ok({ data: null });
      await write(() => void tokens.remove(requireEditable(found).name));
      return ok({ data: shown(found) });
    }),
  ];
}
