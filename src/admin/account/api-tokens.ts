/** `/admin/api-tokens`: tokens of the Content API. Those of `config/galley.json` are read-only here: the file owns them. */
import type { TokenType } from "../../access/ability.ts";
import { actionNames, unknownAction } from "../../access/action-names.ts";
import type { TokenRecord } from "../../access/tokens.ts";
import { ApiError, notFound, type Problem, problemsError, validationError } from "../../errors.ts";
import { type AdminCall, type AdminRoute, ok } from "../call.ts";
import type { AdminServices } from "../services.ts";

const TYPES: readonly string[] = ["full-access", "read-only", "custom"];
const KEY_BYTES = 48;
const MAX_NAME = 255;
const DAY_MS = 86_400_000;

/** Whole days, as the panel offers them. */
const LIFESPANS: readonly unknown[] = [7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS];

const createKey = (): string => crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();

const shown = ({ id, name, type, permissions, expiresAt, lastUsedAt, createdAt }: TokenRecord) => ({
  id,
  kind: "content-api",
  name,
  description: "",
  type,
  permissions,
  lifespan: null,
  expiresAt,
  lastUsedAt,
  createdAt,
  updatedAt: createdAt,
});

interface GivenToken {
  readonly name: string;
  readonly type: TokenType;
  readonly permissions: readonly string[];
}

/** Throws a ValidationError. `before`: what stays where the body does not say. */
function readToken(
  { context }: AdminServices,
  given: Readonly<Record<string, unknown>>,
  before?: TokenRecord,
): GivenToken {
  const { name = before?.name, type = before?.type, permissions = before?.permissions } = given;
  const problems: Problem[] = [];
  if (typeof name !== "string" || name.trim() === "")
    problems.push({ path: "name", message: "name is a required field", value: name });
  else if (name.length > MAX_NAME)
    problems.push({ path: "name", message: `name must be at most ${MAX_NAME} characters`, value: name });
  if (!TYPES.includes(type as string)) {
    const message = `type must be one of the following values: ${TYPES.join(", ")}`;
    problems.push({ path: "type", message, value: type });
  }
  if (problems.length > 0) throw problemsError(problems);
  if (type !== "custom") return { name: (name as string).trim(), type: type as TokenType, permissions: [] };
  if (!Array.isArray(permissions)) throw validationError("Missing permissions attribute for custom token");
  const known = actionNames(context.model);
  const unknown = permissions.find((action) => !known.includes(action as string));
  if (unknown !== undefined) throw validationError(unknownAction(String(unknown), known));
  return { name: (name as string).trim(), type, permissions: permissions as string[] };
}

function expiryOf(lifespan: unknown): string | null {
  if (lifespan === undefined || lifespan === null || lifespan === "") return null;
  if (LIFESPANS.includes(Number(lifespan))) return new Date(Date.now() + Number(lifespan)).toISOString();
  const message = `lifespan must be one of the following values: ${LIFESPANS.join(", ")}`;
  throw problemsError([{ path: "lifespan", message, value: lifespan }]);
}

export function apiTokenRoutes(services: AdminServices): AdminRoute[] {
  const { tokens, context } = services;
  const all = (): TokenRecord[] => tokens.list().filter(({ type }) => type !== "admin");
  const find = ({ params }: AdminCall): TokenRecord | undefined => all().find(({ id }) => String(id) === params.id);
  const need = (call: AdminCall): TokenRecord => {
    const found = find(call);
    if (!found) throw notFound("API Token not found");
    return found;
  };
  const own = (token: TokenRecord): TokenRecord => {
    if (token.origin !== "config") return token;
    throw new ApiError("ApplicationError", `The token "${token.name}" is from config/galley.json: change it there`);
  };
  const refuseTaken = (name: string, id?: number): void => {
    if (tokens.list().some((token) => token.name === name && token.id !== id))
      throw new ApiError("ApplicationError", "Name already taken");
  };
  const byName = (name: string): TokenRecord => all().find((token) => token.name === name)!;
  const write = (work: () => void): Promise<void> => context.storage.write(work);
  return [
    { method: "GET", path: "/admin/api-tokens", handle: () => ok({ data: all().map(shown) }) },
    {
      method: "POST",
      path: "/admin/api-tokens",
      handle: async ({ body }) => {
        const given = await body();
        const token = readToken(services, given);
        const expiresAt = expiryOf(given.lifespan);
        const key = createKey();
        await write(() => {
          refuseTaken(token.name);
          tokens.put({ ...token, key, expiresAt, origin: "command" });
        });
        return { status: 201, body: { data: { ...shown(byName(token.name)), accessKey: key } } };
      },
    },
    { method: "GET", path: "/admin/api-tokens/:id", handle: (call) => ok({ data: shown(need(call)) }) },
    {
      method: "PUT",
      path: "/admin/api-tokens/:id",
      handle: async (call) => {
        const given = await call.body();
        const before = own(need(call));
        const token = readToken(services, given, before);
        await write(() => {
          refuseTaken(token.name, before.id);
          tokens.change(before.id, token);
        });
        return ok({ data: shown(byName(token.name)) });
      },
    },
    {
      method: "POST",
      path: "/admin/api-tokens/:id/regenerate",
      handle: async (call) => {
        const { id, name, type, permissions, expiresAt } = own(need(call));
        const key = createKey();
        await write(() => tokens.put({ name, type, permissions, expiresAt, key, origin: "command" }));
        return { status: 201, body: { data: { id, accessKey: key, kind: "content-api" } } };
      },
    },
    {
      method: "DELETE",
      path: "/admin/api-tokens/:id",
      handle: async (call) => {
        const found = find(call);
        if (!found) return ok({ data: null });
        await write(() => void tokens.remove(own(found).name));
        return ok({ data: shown(found) });
      },
    },
  ];
}
