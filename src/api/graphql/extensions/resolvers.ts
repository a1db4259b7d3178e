/** Wraps the resolvers of a schema with the project's permissions, policies and middlewares. */

import { isDeepStrictEqual } from "node:util";
import {
  defaultFieldResolver,
  defaultTypeResolver,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import type { ContentType, Model } from "../../../engine/schema/model.ts";
import { ApiError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { CacheHints } from "../cache-hints.ts";
import { visibleError } from "../format-error.ts";
import { typeName } from "../names.ts";
import type { Operation } from "../operation.ts";
import { completeRows } from "../plan/complete-rows.ts";
import { type Collection, findOriginal, pickNodes, rowOf, withNodes } from "../plan/pick.ts";
import { forbiddenAccess } from "../plan/planner.ts";
import type { Nodes, RootField, RootInfo } from "../plan/root-field.ts";
import { rootPermission, toClientError } from "../schema/root-resolver.ts";
import type { GraphqlExtensions, ProjectResolver, ResolverConfig } from "./extensions.ts";
import { convertArguments } from "./own-values.ts";

type Resolver = GraphQLFieldResolver<unknown, Operation>;
type Check = (operation: Operation) => boolean;
type Fields = ReadonlyMap<string, GraphQLField<unknown, Operation>>;

const anybody: Check = () => true;
const requiresUser: Check = ({ isSignedIn }) => isSignedIn;
const requiresActions =
  (actions: readonly string[]): Check =>
  ({ ability }) =>
    actions.every((action) => ability.can(action));

/** The permission check of a configuration; undefined if it has none. */
function configuredCheck({ auth }: ResolverConfig): Check | undefined {
  if (auth === undefined || auth === null) return undefined;
  if (auth === false) return anybody;
  const scope = auth === true ? undefined : auth.scope;
  return scope === undefined ? requiresUser : requiresActions([scope].flat());
}

/** All fields of a schema's object types, by `Type.field`. */
function collectFields(schema: GraphQLSchema): Fields {
  const types = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith("__"),
  );
  return new Map(
    types.flatMap((type) =>
      Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const),
    ),
  );
}

function returnsCollection({ type }: GraphQLField<unknown, Operation>): boolean {
  const named = getNamedType(type);
  return (
    isObjectType(named) && Object.values(named.getFields()).some(({ resolve }) => findOriginal(resolve) === pickNodes)
  );
}

async function runExtension(
  run: () => unknown,
  clientError: (error: unknown) => unknown = (error) => error,
): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    throw toClientError(visibleError(clientError(error)));
  }
}

/** A field of the project while it is resolved. */
interface OwnField extends Pick<RootField, "operation" | "args"> {
  readonly info: GraphQLResolveInfo;
}

/** As in Strapi, rows without drafts lead in queries to the versions that the root field asks for, by default published ones. */
function complete(field: OwnField, type: ContentType, value: unknown, nodes?: Nodes): unknown {
  const { operation, info } = field;
  if (type.draftAndPublish || info.operation.operation !== "query")
    return completeRows({ ...field, type }, value, undefined, nodes);
  let { path } = info;
  while (path.prev) path = path.prev;
  const isDraft = operation.rootArguments.get(path.key)?.status === "draft";
  return completeRows({ ...field, type }, value, isDraft ? "draft" : "published", nodes);
}

const ROOTS: ReadonlySet<string> = new Set(["Query", "Mutation", "Subscription"]);

/** Changes the resolvers of `schema`, which may be `generated` itself. */
export function wrapResolvers(
  model: Model,
  schema: GraphQLSchema,
  generated: GraphQLSchema,
  extensions: GraphqlExtensions,
): void {
  const contexts = new WeakMap<Operation, unknown>();
  const generatedFields = collectFields(generated);
  const resolvers = new Set([...generatedFields.values()].map(({ resolve }) => resolve));
  const types = new Map([...model.types.values()].map((type) => [typeName(type), type]));

  function wrap(path: string, field: GraphQLField<unknown, Operation>): void {
    const { resolversConfig = {}, limit } = extensions;
    const isNew = !generatedFields.has(path);
    const found = Object.hasOwn(resolversConfig, path) ? resolversConfig[path] : undefined;
    const config = found?.isNested && !isNew ? undefined : found;
    const isProjectResolver = field.resolve ? !resolvers.has(field.resolve) : isNew && findRowTypes(field).length > 0;
    const isRoot = ROOTS.has(path.slice(0, path.indexOf(".")));
    if (!config && !isProjectResolver && !(isNew && isRoot)) return;
    const check = findCheck(path, config ?? {}, isRoot, isProjectResolver || isNew);
    const resolve = withMiddlewares(
      config ?? {},
      isProjectResolver ? projectResolver(field) : unchecked(field, config ?? {}),
      !isProjectResolver && returnsCollection(field),
    );
    field.resolve = (parent, args, operation, info) => {
      operation.isCacheable = false;
      operation.cacheHints ??= new CacheHints();
      operation.cacheHints.attach(info);
      if (!check(operation)) throw forbiddenAccess();
      const run = () => resolve(parent, args, operation, info);
      return limit ? limit(`GraphQL ${path}`, run) : run();
    };
    // prepared operations would not call it
    const { galleyRoot: _, ...own } = field.extensions;
    const rules = config?.middlewares?.length ? "result" : config?.policies?.length ? "row" : undefined;
    if (isProjectResolver && !isRoot) field.extensions = { ...own, galley: { kind: "row" } };
    else field.extensions = rules ? { ...own, galleyWhole: rules } : own;
  }

  /** Before middlewares and policies. A root field of the project has the permission of the generated field of the same name. */
  function findCheck(path: string, config: ResolverConfig, isRoot: boolean, isOfProject: boolean): Check {
    const configured = configuredCheck(config);
    if (configured || !isRoot) return configured ?? anybody;
    const generatedResolver = generatedFields.get(path)?.resolve;
    const permission = generatedResolver && rootPermission(generatedResolver);
    if (!permission) return isOfProject ? requiresUser : anybody;
    return permission.action === undefined ? anybody : requiresActions([permission.action]);
  }

  /** A generated resolver, without its check if the configuration has one. */
  function unchecked(
    { resolve = defaultFieldResolver }: GraphQLField<unknown, Operation>,
    config: ResolverConfig,
  ): Resolver {
    if (configuredCheck(config) === undefined) return resolve;
    return rootPermission(resolve)?.unchecked ?? resolve;
  }

  function findRowTypes({ type }: GraphQLField<unknown, Operation>): ContentType[] {
    const named = getNamedType(type);
    const possible = isAbstractType(named) ? schema.getPossibleTypes(named) : [named];
    return possible.flatMap(({ name }) => types.get(name) ?? []);
  }

  function projectResolver(field: GraphQLField<unknown, Operation>): Resolver {
    const resolveField = (field.resolve ?? defaultFieldResolver) as unknown as ProjectResolver;
    const [target] = findRowTypes(field);
    const named = getNamedType(field.type);
    return async (parent, args, operation, info) => {
      const value = await runExtension(
        () =>
          resolveField(
            rowOf(parent),
            convertArguments(field.args, args) as never,
            findContext(operation) as never,
            info,
          ),
        extensions.clientError,
      );
      if (!target) return value;
      const own = { operation, info, args };
      return isAbstractType(named) ? completeMembers(named, own, value) : complete(own, target, value);
    };
  }

  /** Completes rows of several types, those of a type together. */
  async function completeMembers(abstract: GraphQLAbstractType, field: OwnField, value: unknown): Promise<unknown> {
    const { operation, info } = field;
    const resolveType = abstract.resolveType ?? defaultTypeResolver;
    const members: unknown[] = Array.isArray(value) ? [...value] : [value];
    const names = await Promise.all(
      members.map((row) => (isRecord(row) ? resolveType(row, operation, info, abstract) : undefined)),
    );
    for (const [name, indexes] of Map.groupBy(members.keys(), (index) => names[index])) {
      const type = name === undefined ? undefined : types.get(name);
      if (!type) continue;
      const completed = complete(
        field,
        type,
        indexes.map((index) => members[index]),
      ) as unknown[];
      for (const [i, index] of indexes.entries()) members[index] = completed[i];
    }
    return Array.isArray(value) ? members : members[0];
  }

  /** Runs middlewares, then policies, then the resolver. */
  function withMiddlewares(
    { policies = [], middlewares = [] }: ResolverConfig,
    resolve: Resolver,
    isCollection: boolean,
  ): Resolver {
    if (policies.length === 0 && middlewares.length === 0) return resolve;
    // middlewares may use any column of the rows that they get
    const isWhole = middlewares.length > 0;
    return (source, fieldArgs, operation, fieldInfo) => {
      const context = findContext(operation);
      const last = async (parent: unknown, args: unknown, _context: unknown, info: typeof fieldInfo) => {
        for (const policy of policies) {
          const result = await runExtension(() => policy({ parent, args, context, info }));
          if (result !== true && result !== undefined)
            throw new ApiError("ForbiddenError", "Policy Failed", {}, { name: "PolicyError" });
        }
        const whole: RootInfo & typeof info = { ...info, isWhole };
        const result = await resolve(withArguments(parent, args, operation, info), args, operation, whole);
        return isWhole && isCollection && result ? withNodes(result as Collection) : result;
      };
      const call = (index: number, parent: unknown, args: unknown, info: typeof fieldInfo): unknown => {
        const middleware = middlewares[index];
        if (!middleware) return last(parent, args, context, info);
        return runExtension(() => middleware((p, a, _c, i) => call(index + 1, p, a, i), parent, args, context, info));
      };
      return call(0, source, fieldArgs, fieldInfo);
    };
  }

  /** A row, with what a field of it leads to for other arguments than those of the text. */
  function withArguments(parent: unknown, args: unknown, operation: Operation, info: GraphQLResolveInfo): unknown {
    const field = info.parentType.getFields()[info.fieldName];
    const type = types.get(info.parentType.name);
    const plan = field?.extensions.galley;
    const row = rowOf(parent);
    if (!type || plan?.kind !== "link" || !plan.attribute.many || !isRecord(row) || !isRecord(args)) return parent;
    const [node] = info.fieldNodes;
    if (!node || isDeepStrictEqual(getArgumentValues(field!, node, info.variableValues), args)) return parent;
    const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: info.fieldNodes };
    const { id, publishedAt } = row;
    const own = { operation, info: { ...info, ownArguments: args }, args };
    return { ...row, ...Object(complete(own, type, { id, publishedAt }, [{ ...node, selectionSet }])) };
  }

  const findContext = (operation: Operation): unknown =>
    contexts.getOrInsertComputed(operation, ({ caller }) => extensions.createContext?.(caller) ?? {});

  for (const [path, field] of collectFields(schema)) wrap(path, field);
}
