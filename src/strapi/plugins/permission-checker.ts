/** The content manager's service `permission-checker`: what an administrator may do with the documents of a type. */
import type { Values } from "../../lib/is-record.ts";
import { type Ability, createPermissionsManager, type FindSchema } from "../administration/permissions-manager.ts";

const EXPLORER = "plugin::content-manager.explorer";
const actions = {
  ...{ read: `${EXPLORER}.read`, create: `${EXPLORER}.create`, update: `${EXPLORER}.update` },
  ...{ delete: `${EXPLORER}.delete`, publish: `${EXPLORER}.publish`, unpublish: `${EXPLORER}.publish` },
  discard: `${EXPLORER}.update`,
};

/** The function with one for each action: `can.read()`. */
const withActions = <Args extends readonly unknown[], T, Given extends object>(
  given: Given,
  call: (action: string, ...args: Args) => T,
) =>
  Object.assign(
    given,
    Object.fromEntries(
      Object.entries(actions).map(([name, action]) => [name, (...args: Args) => call(action, ...args)]),
    ),
  );

export function createPermissionChecker(
  findSchema: FindSchema,
  { userAbility, model }: { readonly userAbility: Ability; readonly model: string },
) {
  const manager = createPermissionsManager(findSchema, { ability: userAbility, model });
  const { sanitizeInput, validateQuery, validateInput, addPermissionsQueryTo } = manager;
  const toSubject = (entry?: object | null) => (entry ? manager.toSubject(entry) : model);
  const can = (action: string, entry?: object | null, field?: string): boolean =>
    userAbility.can(action, toSubject(entry), field);
  const cannot = (...of: Parameters<typeof can>): boolean => !can(...of);
  // permissions of administrators have no conditions
  const requiresEntity = () => false;
  const withRead = { action: actions.read };
  const sanitizeQuery = (query: unknown, options = withRead) => manager.sanitizeQuery(query, options);
  // as in Strapi, every action may ask for what may be read
  const sanitizedQuery = async (query: unknown, action: unknown = {}) =>
    addPermissionsQueryTo((await sanitizeQuery(query)) as Values, action);
  return {
    can: withActions(can, can),
    cannot: withActions(cannot, cannot),
    requiresEntity: withActions(requiresEntity, requiresEntity),
    sanitizeOutput: (data: unknown, options = withRead) => manager.sanitizeOutput(data, options),
    sanitizeQuery,
    sanitizeCreateInput: (data: unknown) => sanitizeInput(data, { action: actions.create }),
    sanitizeUpdateInput: (_entry: unknown) => (data: unknown) => sanitizeInput(data, { action: actions.update }),
    validateQuery: (query: unknown, options = withRead) => validateQuery(query, options),
    validateInput: (action: string, data: unknown) => validateInput(data, { action }),
    sanitizedQuery: withActions(sanitizedQuery, (action, query: unknown) => sanitizedQuery(query, action)),
  };
}
