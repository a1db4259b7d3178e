/** `strapi.service("admin::api-token")`, with the messages of Strapi. */
import { decryptKey, encryptKey } from "../../engine/access/encrypted-key.ts";
import { LIFESPANS, readLifespan, type Tokens } from "../../engine/access/tokens.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Clock } from "../../lib/clock.ts";
import { ApiError, notFound, validationError } from "../../lib/errors.ts";
import type { Members } from "../loader/plugin.ts";
import type { Row, Rows } from "./rows.ts";
import { API_TOKEN, API_TOKEN_PERMISSION } from "./types.ts";

const KEY_BYTES = 128;
const SELECTED = "id kind name description lastUsedAt type lifespan expiresAt createdAt updatedAt".split(" ");
const READ: Params = { select: SELECTED, populate: ["permissions"] };

export interface TokenServices {
  readonly query: (uid: string) => Rows;
  /** Runs `work` in a transaction. */
  readonly transaction: <T>(work: () => Promise<T>) => Promise<T>;
  readonly tokens: Pick<Tokens, "hash" | "salt">;
  /** The actions that a custom token may have. */
  readonly actions: () => readonly string[];
  readonly clock: Clock;
}

interface FindOptions {
  /** Adds the key of a token that can be shown again. */
  readonly includeDecryptedKey?: boolean;
}

interface Attributes extends Readonly<Record<string, unknown>> {
  readonly permissions?: unknown;
}

/** In Strapi's order. */
const shown = (row: Row): Row => {
  const permissions = row.permissions as readonly { action: string }[];
  const columns = Object.fromEntries(SELECTED.map((name) => [name, row[name]])) as Row;
  return { ...columns, permissions: permissions.map(({ action }) => action) };
};

function checkLifespan(lifespan: unknown): void {
  if (lifespan === undefined || LIFESPANS.includes(lifespan as number | null)) return;
  throw validationError(`lifespan must be one of the following values:\n      ${LIFESPANS.join(", ")}`);
}

function checkPermissions(actions: () => readonly string[], type: unknown, permissions: unknown): void {
  const isCustom = type === "custom";
  if (!isCustom && Array.isArray(permissions) && permissions.length > 0)
    throw validationError("Non-custom tokens should not reference permissions");
  if (!isCustom) return;
  if (!Array.isArray(permissions)) throw validationError("Missing permissions attribute for custom token");
  const known = new Set(actions());
  const unknown = permissions.filter((action) => !known.has(action));
  if (unknown.length > 0) throw validationError(`Unknown permissions provided: ${unknown.join(", ")}`);
}

function createKey(keys: TokenServices["tokens"]) {
  const accessKey = crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
  return { accessKey, columns: { accessKey: keys.hash(accessKey), encryptedKey: encryptKey(accessKey, keys.salt) } };
}

export function createApiTokenService({ query, transaction, tokens: keys, actions, clock }: TokenServices): Members {
  const tokens = query(API_TOKEN);
  const permissionRows = query(API_TOKEN_PERMISSION);

  const find = async (where: Params, { includeDecryptedKey = false }: FindOptions = {}): Promise<Row | null> => {
    const row = await tokens.findOne({ ...READ, where });
    const key = row && includeDecryptedKey ? await readKey(row.id) : undefined;
    return row && { ...shown(row), ...(key === undefined ? {} : { accessKey: key }) };
  };
  const readKey = async (id: number): Promise<string | undefined> => {
    const row = await tokens.findOne({ where: { id }, select: ["encryptedKey"] });
    return typeof row?.encryptedKey === "string" ? decryptKey(row.encryptedKey, keys.salt) : undefined;
  };

  async function replacePermissions(id: number, permissions: readonly unknown[]): Promise<void> {
    await permissionRows.deleteMany({ where: { token: { id } } });
    for (const action of new Set(permissions)) await permissionRows.create({ data: { action, token: id } });
  }

  async function create({ permissions, ...attributes }: Attributes): Promise<Row> {
    const { type = "read-only", lifespan, kind = "content-api" } = attributes;
    if (kind !== "content-api") throw new ApiError("ApplicationError", "Galley has no tokens of administrators");
    checkLifespan(lifespan);
    checkPermissions(actions, type, permissions);
    const { accessKey, columns } = createKey(keys);
    return transaction(async () => {
      const data = { ...attributes, ...columns, ...readLifespan(lifespan, clock.now()) };
      const { id } = await tokens.create({ data, select: ["id"] });
      if (type === "custom") await replacePermissions(id, permissions as readonly unknown[]);
      return { ...(await find({ id }))!, accessKey };
    });
  }

  async function update(id: unknown, attributes: Attributes): Promise<Row> {
    const before = await find({ id });
    if (!before) throw notFound("Token not found");
    const { kind, type, permissions, name, description } = attributes;
    if (kind !== undefined && kind !== null && kind !== "content-api")
      throw validationError("kind is immutable after creation");
    const nextType = type ?? before.type;
    if (permissions !== undefined || (type === "custom" && before.type !== "custom"))
      checkPermissions(actions, nextType, permissions);
    return transaction(async () => {
      const given = Object.entries({ name, description, type }).filter(([, value]) => value !== undefined);
      if (given.length > 0) await tokens.update({ where: { id }, data: Object.fromEntries(given) });
      if (nextType !== "custom") await replacePermissions(before.id, []);
      else if (Array.isArray(permissions)) await replacePermissions(before.id, permissions);
      return (await find({ id }))!;
    });
  }

  async function regenerate(id: unknown): Promise<object> {
    const { accessKey, columns } = createKey(keys);
    const row = await tokens.update({ where: { id }, data: columns, select: ["id"] });
    if (!row) throw notFound("The provided token id does not exist");
    return { id: row.id, accessKey, kind: "content-api" };
  }

  return {
    hash: (key: string): string => keys.hash(key),
    create,
    update,
    regenerate,
    list: async () => (await tokens.findMany({ ...READ, orderBy: { name: "asc" } })).map(shown),
    getById: (id: unknown, options?: FindOptions) => find({ id }, options),
    getByName: (name: unknown, options?: FindOptions) => find({ name }, options),
    /** By the hash of a key. */
    getByAccessKey: (accessKey: unknown, options?: FindOptions) => find({ accessKey }, options),
    exists: async (where: Params = {}) => Object.keys(where).length > 0 && (await tokens.count({ where })) > 0,
    count: (where: Params = {}) => tokens.count({ where }),
    countAll: () => tokens.count(),
    revoke: (id: unknown) =>
      transaction(async () => {
        const row = await find({ id });
        if (row) await tokens.delete({ where: { id: row.id } });
        return row;
      }),
    checkSaltIsDefined: () => undefined,
  };
}
