/** `/admin/transfer/tokens`: keys for `push` and `pull` between servers. Transfers are not served here. */
import { invalidCredentials } from "../../engine/access/jwt.ts";
import { readLifespan } from "../../engine/access/tokens.ts";
import type { IdSource } from "../../engine/documents/ids.ts";
import { notFound } from "../../lib/errors.ts";
import type { Shape } from "../../lib/shape.ts";
import { objectBody } from "../body.ts";
import { type AdminCall, type AdminResponse, type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { type TransferToken, TransferTokens } from "./stored-transfer-tokens.ts";
import { createKey, readToken } from "./token-input.ts";

const PATH = "/admin/transfer/tokens";
const ACTIONS = ["push", "pull"];

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

/** Strapi returns rows of its table here. */
const asRow = (action: string, ids: IdSource) => {
  const now = new Date().toISOString();
  const times = { createdAt: now, updatedAt: now, publishedAt: now };
  return { id: ACTIONS.indexOf(action) + 1, documentId: ids.documentId(), action, ...times, locale: null };
};

function find(tokens: TransferTokens, { params }: AdminCall): TransferToken | undefined {
  return tokens.list().find(({ id }) => String(id) === params.id);
}

function findOrThrow(tokens: TransferTokens, call: AdminCall): TransferToken {
  const found = find(tokens, call);
  if (!found) throw notFound("Transfer token not found");
  return found;
}

function list(tokens: TransferTokens): AdminResponse {
  const byName = tokens.list().sort((a, b) => (a.name < b.name ? -1 : 1));
  return ok({ data: byName.map(shown) });
}

async function create(tokens: TransferTokens, { body }: AdminCall): Promise<AdminResponse> {
  const input = await body();
  const { name, description = "", permissions } = readToken(input, fields(true), true) as unknown as TransferToken;
  const key = createKey();
  const values = { name, description, permissions: [...new Set(permissions)], ...readLifespan(input.lifespan) };
  const created = await tokens.create(values, key);
  return { status: 201, body: { data: { ...shown(created), accessKey: key } } };
}

async function update(tokens: TransferTokens, call: AdminCall): Promise<AdminResponse> {
  const input = readToken(await objectBody(call), fields(false), false) as Partial<TransferToken>;
  const before = findOrThrow(tokens, call);
  const { name = before.name, description = before.description } = input;
  const requested = input.permissions ?? before.permissions;
  // Strapi keeps the rows of permissions that stay
  const kept = before.permissions.filter((action) => requested.includes(action));
  const permissions = [...new Set([...kept, ...requested])];
  return ok({ data: shown(await tokens.change(before, { name, description, permissions })) });
}

async function regenerate(tokens: TransferTokens, call: AdminCall): Promise<AdminResponse> {
  const { id } = findOrThrow(tokens, call);
  const key = createKey();
  await tokens.setKey(id, key);
  return { status: 201, body: { data: { id, accessKey: key } } };
}

async function remove(tokens: TransferTokens, call: AdminCall, ids: IdSource): Promise<AdminResponse> {
  const found = find(tokens, call);
  if (!found) return ok({ data: null });
  await tokens.delete(found.id);
  return ok({ data: { ...shown(found), permissions: found.permissions.map((action) => asRow(action, ids)) } });
}

const refuseTransfer = (): never => {
  throw invalidCredentials();
};

export function transferTokenRoutes({ context: { storage, ids } }: AdminServices): AdminRoute[] {
  const tokens = new TransferTokens(storage);
  const one = `${PATH}/:id`;
  return [
    ...ACTIONS.map((action): AdminRoute => route("GET", `/admin/transfer/runner/${action}`, refuseTransfer)),
    route("GET", PATH, () => list(tokens)),
    route("POST", PATH, (call) => create(tokens, call)),
    route("GET", one, (call) => ok({ data: shown(findOrThrow(tokens, call)) })),
    route("PUT", one, (call) => update(tokens, call)),
    route("POST", `${one}/regenerate`, (call) => regenerate(tokens, call)),
    route("DELETE", one, (call) => remove(tokens, call, ids)),
  ];
}
