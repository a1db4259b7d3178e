/** Copies the API tokens of a project into the database of its administration, and changes of the copies back. */

import type { TokenRecord, TokenType } from "../../engine/access/access.ts";
import { TOKEN_COLUMNS, toTokenRecord } from "../../engine/access/tokens.ts";
import { deleteRow } from "../../engine/documents/delete-row.ts";
import { contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import { QueryEngine, type QueryServices } from "../data/query-engine.ts";
import { QueryRows } from "../data/query-rows.ts";
import { API_TOKEN, API_TOKEN_PERMISSION } from "./types.ts";

const TYPES: ReadonlySet<unknown> = new Set<TokenType>(["full-access", "read-only", "custom"]);
const NO_HASHES = new Map<string, string>();

/** A token of the Content API with its hash. */
interface TokenRow extends TokenRecord {
  readonly hash: string;
  readonly encryptedKey: string | null;
}

/** Without admin tokens. */
function tokenRows(storage: Storage): TokenRow[] {
  const sql = `SELECT hash, encrypted_key, ${TOKEN_COLUMNS} FROM galley_tokens WHERE type != 'admin' ORDER BY id`;
  return storage
    .all(sql)
    .map(([hash, encryptedKey, ...row]) => ({ ...toTokenRecord(row), hash, encryptedKey }) as TokenRow);
}

/** The highest id that a token has or had, also an admin token. */
const lastTokenId = (storage: Storage): number =>
  Number(storage.first("SELECT seq FROM sqlite_sequence WHERE name = 'galley_tokens'")?.[0] ?? 0);

/** Whether another token has the name, also an admin token. */
const isNameTaken = (storage: Storage, { id, name }: Pick<TokenRow, "id" | "name">): boolean =>
  storage.first("SELECT id FROM galley_tokens WHERE name = ? AND id != ?", [name, id]) !== undefined;

/** Inserts or replaces the token with this id. Expects a transaction, as does `deleteTokenRow`. Names and hashes must be unique. */
function saveTokenRow(storage: Storage, row: TokenRow): void {
  const { id, origin, name, type, hash, description, lifespan } = row;
  const changing = {
    ...{ name, type, hash, description, lifespan, permissions: JSON.stringify(row.permissions) },
    ...{ expires_at: row.expiresAt, last_used_at: row.lastUsedAt, updated_at: row.updatedAt },
    encrypted_key: row.encryptedKey,
  };
  const columns = { id, origin, created_at: row.createdAt, ...changing };
  const names = Object.keys(columns);
  const changes = Object.keys(changing).map((column) => `${column} = excluded.${column}`);
  const sql = `INSERT INTO galley_tokens (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
    ON CONFLICT (id) DO UPDATE SET ${changes.join(", ")}`;
  storage.run(sql, Object.values(columns));
}

const deleteTokenRow = (storage: Storage, id: number): void =>
  void storage.run("DELETE FROM galley_tokens WHERE id = ?", [id]);

/** An id that is the same after each load. */
const createDocumentId = ({ id, createdAt }: TokenRow): string =>
  new Bun.CryptoHasher("sha256").update(`${id} ${createdAt}`).digest("hex").slice(0, 24);

/** A copied token as the database returns it. */
interface Copy extends Omit<TokenRow, "hash" | "permissions" | "origin" | "type"> {
  readonly type: unknown;
  readonly kind: unknown;
  readonly accessKey: string | null;
  readonly permissions: readonly { readonly action: string }[];
}

/** `services`: of the database that has the copies. */
export function createStoredTokens(services: QueryServices) {
  /** The stored tokens that the copies equal, as JSON. */
  let loaded: string | undefined;
  const context = services.raw;
  const tokens = contentType(services.raw.model, API_TOKEN);
  const permissions = contentType(services.raw.model, API_TOKEN_PERMISSION);

  /** The next load copies all tokens again. */
  function forget(): void {
    loaded = undefined;
  }

  /** Does nothing if the copies are up to date. Takes one statement of the project's database. */
  function load(from: Storage): void {
    const rows = tokenRows(from);
    const text = JSON.stringify(rows);
    if (text === loaded) return;
    const { storage } = context;
    storage.transaction(() => {
      for (const type of [permissions, tokens])
        for (const [id] of storage.all(`SELECT id FROM ${quote(type.table)}`)) deleteRow(context, type, id as number);
      for (const row of rows) insert(row);
    });
    loaded = text;
  }

  function insert(row: TokenRow): void {
    const { origin: _, hash, permissions: allowed, ...columns } = row;
    const copy = { ...columns, accessKey: hash, documentId: createDocumentId(row) };
    new QueryRows(context, tokens).insert(copy, NO_HASHES);
    const actions = new QueryRows(context, permissions);
    for (const action of allowed) actions.insert({ action, token: row.id }, NO_HASHES);
  }

  /** Ids that no token has or had, so that new copies can be stored with their ids. */
  function reserveIds(from: Storage): void {
    const { storage } = context;
    const { table } = tokens;
    const last = lastTokenId(from);
    const { changes } = storage.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", [last, table]);
    if (changes === 0) storage.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, last]);
  }

  /** Stores what differs. Throws an Error for a token that Galley cannot store. */
  function save(to: Storage): void {
    const before = new Map(tokenRows(to).map((row) => [row.id, row]));
    const copies = listCopies();
    for (const id of before.keys()) if (!copies.some((copy) => copy.id === id)) deleteTokenRow(to, id);
    for (const copy of copies) {
      const stored = before.get(copy.id);
      const row = asRow(copy, stored);
      if (Bun.deepEquals(row, stored)) continue;
      if (isNameTaken(to, row))
        throw new Error(`admin::api-token: the name "${copy.name}" is taken; names are unique in Galley`);
      saveTokenRow(to, row);
    }
    loaded = JSON.stringify(tokenRows(to));
  }

  function listCopies(): readonly Copy[] {
    const { find } = new QueryEngine(services, tokens).withoutHooks;
    return find({ populate: ["permissions"], orderBy: "id" }) as unknown as readonly Copy[];
  }

  function asRow(copy: Copy, stored: TokenRow | undefined): TokenRow {
    const { id, name, description, type, kind, accessKey, encryptedKey } = copy;
    if (!TYPES.has(type) || kind !== "content-api")
      throw new Error("admin::api-token: Galley has tokens of the Content API: read-only, full-access or custom");
    if (!name || !accessKey) throw new Error("admin::api-token: a token needs a name and an accessKey");
    return {
      ...{ id, name, description: description ?? "", type: type as TokenType },
      permissions: type === "custom" ? copy.permissions.map(({ action }) => action) : [],
      lifespan: copy.lifespan === null ? null : Number(copy.lifespan),
      ...{ expiresAt: copy.expiresAt, lastUsedAt: copy.lastUsedAt, origin: stored?.origin ?? "command" },
      ...{ createdAt: copy.createdAt, updatedAt: copy.updatedAt, hash: accessKey, encryptedKey },
    };
  }

  return { forget, load, reserveIds, save };
}
