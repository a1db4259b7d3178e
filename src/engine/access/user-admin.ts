/** Creates, changes and removes users for REST and GraphQL. */

import { ApiError, applicationError, notFound, validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import { checkBody, notEmpty, type Shape, type Test } from "../../lib/shape.ts";
import type { Settings } from "../config/settings.ts";
import type { CanRead } from "../query/tree.ts";
import { emailTest } from "./auth-shapes.ts";
import type { Sessions } from "./sessions.ts";
import type { Users, WrittenUser } from "./users.ts";

const strict = (shape: Shape): Shape => ({ ...shape, strict: true });

const entryTest: Test = (entry: { id?: unknown; documentId?: unknown }) =>
  (entry.id ?? entry.documentId ?? null) === null ? "Relation entry must include an id or documentId" : undefined;
const entries: Shape = strict({
  type: "array",
  item: () =>
    strict({
      type: "object",
      tests: [entryTest],
      fields: { id: strict({ type: "strapiID" }), documentId: strict({ type: "strapiID" }) },
    }),
});

const atLeastOne: Test = (list: unknown[]) => (list.length === 0 ? "Users must have a role" : undefined);
const roleOfNewUser = (value: unknown): Shape =>
  typeof value === "object"
    ? strict({
        type: "object",
        required: true,
        fields: { connect: { ...entries, required: true, tests: [atLeastOne] } },
      })
    : strict({ type: "strapiID", required: true });

const roleOfUpdate = (value: unknown): Shape => {
  if (typeof value !== "object") return strict({ type: "strapiID" });
  const connects = isRecord(value) && Array.isArray(value.connect) && value.connect.length > 0;
  const keepsRole: Test = (list: unknown[]) => (!connects && list.length > 0 ? "Cannot remove role" : undefined);
  return strict({ type: "object", fields: { connect: entries, disconnect: { ...entries, tests: [keepsRole] } } });
};

const newUser = (role: unknown): Shape =>
  strict({
    type: "object",
    fields: {
      email: strict({ type: "string", required: true, tests: [emailTest] }),
      username: strict({ type: "string", required: true, tests: [notEmpty] }),
      password: strict({ type: "string", required: true, tests: [notEmpty] }),
      role: roleOfNewUser(role),
    },
  });

const passwordTest: Test = (value: unknown) =>
  value === "" || typeof value === "string" ? undefined : "Password must be at least 1 character";

const updatedUser = (role: unknown): Shape =>
  strict({
    type: "object",
    fields: {
      email: strict({ type: "string", tests: [emailTest, notEmpty] }),
      username: strict({ type: "string", tests: [notEmpty] }),
      password: { type: "mixed", tests: [passwordTest] },
      role: roleOfUpdate(role),
    },
  });

export function createUserAdmin(
  users: Users,
  sessions: Sessions,
  settings: Pick<Settings["auth"], "defaultRole" | "uniqueEmail">,
) {
  /** Drops keys that are not attributes, as in Strapi. */
  function writableValues(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { attributes } = users.service().type;
    return pickBy(body, (_, key) => attributes.get(key)?.writable && key !== "locale");
  }

  /** `id`: of the user who may have it. */
  function checkEmail(email: string, id?: number): void {
    if (settings.uniqueEmail && users.isOthersEmail(email, id)) throw applicationError("Email already taken");
  }

  /** Invalid values throw ApplicationErrors without details, as in Strapi. */
  async function create(body: unknown): Promise<WrittenUser> {
    const input = checkBody(newUser(isRecord(body) ? body.role : undefined), body);
    const check = (): void => {
      checkEmail(String(input.email));
      if (users.isOthersEmail(String(input.username))) throw applicationError("Username already taken");
    };
    check();
    try {
      // "" and 0 pass as ids, but are none
      const role = input.role || users.roleOfType(settings.defaultRole);
      return await users.create({ ...writableValues(input), role, provider: "local" }, check);
    } catch (error) {
      throw error instanceof ApiError && error.httpStatus < 500 ? applicationError(error.message) : error;
    }
  }

  /** Throws NotFoundError. */
  async function update(id: number, body: unknown): Promise<WrittenUser> {
    const user = users.byId(id);
    if (!user) throw notFound("User not found");
    const input = checkBody(updatedUser(isRecord(body) ? body.role : undefined), body);
    if (user.provider === "local" && "password" in input && !input.password) throw validationError("password.notNull");
    if ("username" in input) {
      const other = users.byUsername(String(input.username));
      if ((other && other.id !== id) || users.isOthersEmail(String(input.username), id))
        throw applicationError("Username already taken");
    }
    if ("email" in input) checkEmail(String(input.email), id);
    const written = await users.update(user, writableValues(input));
    if (input.password) await sessions.end(id, "all");
    return written;
  }

  /** As that of `Users`. */
  async function remove(id: number, canRead: CanRead): Promise<unknown> {
    const removed = await users.remove(id, canRead);
    if (removed) await sessions.end(id, "all");
    return removed;
  }

  return { create, update, remove };
}

export type UserAdmin = ReturnType<typeof createUserAdmin>;
