/**
 * `/admin/transfer/tokens`: keys for `push` and `pull` between servers. Stored hashed, as in the reference; transfers
 * are not served here.
 */
import { lifespanOf } from "../../access/token-lifespan.ts";
import type { IdSource } from "../../documents/ids.ts";
import { ApiError, notFound } from "../../errors.ts";
import type { Shape } from "../../shape.ts";
import { setStored, storedValue } from "../../storage/core-store.ts";
import { objectBody } from "../body.ts";
import { type AdminCall, type AdminRoute, ok } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { createKey, readToken } from "./token-input.ts";

interface TransferToken {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly lifespan: number | null;
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly hash: string;
}

const KEY = "galley_transfer_tokens";
const PATH = "/admin/transfer/tokens";
const ACTIONS = ["push", "pull"];
const MAX_TOKENS = 1_000;

const fields = (isNew: boolean): Readonly<Record<string, Shape>> => ({
  permissions: {
    type: "array",
    strict: true,
    nullable: !isNew,
    required: isNew,
    tests: [(list: unknown[], path) => (list.length === 0 ? `${path} field must have at least 1 items` : undefined)],
    item: () => ({ type: "string", strict: true, oneOf: ACTIONS }),
  },
});

const shown = ({ hash: _, lifespan, ...token }: TransferToken) => ({
  ...token,
  lastUsedAt: null,
  lifespan: lifespan === null ? null : String(lifespan),
});

/** The reference returns rows of its table here. */
const asRow = (action: string, ids: IdSource) => {
  const now = new Date().toISOString();
  const times = { createdAt: now, updatedAt: now, publishedAt: now };
  return { id: ACTIONS.indexOf(action) + 1, documentId: ids.documentId(), action, ...times, locale: null };
};

export function transferTokenRoutes({ context: { storage, ids } }: AdminServices): AdminRoute[] {
  const all = (): TransferToken[] => (storedValue(storage, KEY) ?? []) as TransferToken[];
  const find = ({ params }: AdminCall): TransferToken | undefined => all().find(({ id }) => String(id) === params.id);
  const findOrThrow = (call: AdminCall): TransferToken => {
    const found = find(call);
    if (!found) throw notFound("Transfer token not found");
    return found;
  };
  const save = (change: (tokens: TransferToken[]) => TransferToken[]): Promise<void> =>
    storage.write(() => setStored(storage, KEY, change(all())));
  const refuseTaken = (tokens: readonly TransferToken[], name: string, ownId?: number): void => {
    if (tokens.some((token) => token.name === name && token.id !== ownId))
      throw new ApiError("ApplicationError", "Name already taken");
  };
  const hashOf = (key: string): string => new Bun.CryptoHasher("sha512").update(key).digest("hex");
  return [
    ...ACTIONS.map(
      (action): AdminRoute => ({
        method: "GET",
        path: `/admin/transfer/runner/${action}`,
        handle: () => {
          throw new ApiError("UnauthorizedError", "Missing or invalid credentials");
        },
      }),
    ),
    {
      method: "GET",
      path: PATH,
      handle: () =>
        ok({
          data: all()
            .sort((a, b) => (a.name < b.name ? -1 : 1))
            .map(shown),
        }),
    },
    {
      method: "POST",
      path: PATH,
      handle: async ({ body }) => {
        const input = await body();
        const {
          name,
          description = "",
          permissions,
        } = readToken(input, fields(true), true) as unknown as TransferToken;
        const key = createKey();
        const now = new Date().toISOString();
        let created: TransferToken | undefined;
        await save((tokens) => {
          refuseTaken(tokens, name);
          if (tokens.length >= MAX_TOKENS)
            throw new ApiError("ApplicationError", `There are ${MAX_TOKENS} tokens already`);
          const id = Math.max(0, ...tokens.map((token) => token.id)) + 1;
          const times = { createdAt: now, updatedAt: now };
          const actions = [...new Set(permissions)];
          created = {
            id,
            name,
            description,
            permissions: actions,
            ...lifespanOf(input.lifespan),
            ...times,
            hash: hashOf(key),
          };
          return [...tokens, created];
        });
        return { status: 201, body: { data: { ...shown(created!), accessKey: key } } };
      },
    },
    { method: "GET", path: `${PATH}/:id`, handle: (call) => ok({ data: shown(findOrThrow(call)) }) },
    {
      method: "PUT",
      path: `${PATH}/:id`,
      handle: async (call) => {
        const input = readToken(await objectBody(call), fields(false), false) as Partial<TransferToken>;
        const before = findOrThrow(call);
        const { name = before.name, description = before.description } = input;
        const requested = input.permissions ?? before.permissions;
        // the reference keeps the rows of permissions that stay
        const kept = before.permissions.filter((action) => requested.includes(action));
        const permissions = [...new Set([...kept, ...requested])];
        const next = { ...before, name, description, permissions, updatedAt: new Date().toISOString() };
        await save((tokens) => {
          refuseTaken(tokens, name, before.id);
          return tokens.map((token) => (token.id === before.id ? next : token));
        });
        return ok({ data: shown(next) });
      },
    },
    {
      method: "POST",
      path: `${PATH}/:id/regenerate`,
      handle: async (call) => {
        const { id } = findOrThrow(call);
        const key = createKey();
        await save((tokens) => tokens.map((token) => (token.id === id ? { ...token, hash: hashOf(key) } : token)));
        return { status: 201, body: { data: { id, accessKey: key } } };
      },
    },
    {
      method: "DELETE",
      path: `${PATH}/:id`,
      handle: async (call) => {
        const found = find(call);
        if (!found) return ok({ data: null });
        await save((tokens) => tokens.filter(({ id }) => id !== found.id));
        return ok({ data: { ...shown(found), permissions: found.permissions.map((action) => asRow(action, ids)) } });
      },
    },
  ];
}
