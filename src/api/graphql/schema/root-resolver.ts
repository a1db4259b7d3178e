/** The resolvers of root fields: they check the permission, then the arguments, then run the operation. */

import { GraphQLError, type GraphQLFieldConfigMap, type GraphQLFieldResolver } from "graphql";
import type { Params } from "../../../engine/query/parse.ts";
import { ContentChanged } from "../../../engine/query/reading.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { diskFull } from "../../../engine/storage/problems.ts";
import { ApiError } from "../../../lib/errors.ts";
import { logError } from "../../../lib/print-value.ts";
import { UnexpectedError } from "../format-error.ts";
import type { Operation } from "../operation.ts";
import { forbidden } from "../plan/planner.ts";
import type { RootField } from "../plan/root-field.ts";

export type RootFields = GraphQLFieldConfigMap<unknown, Operation>;
export type RootResolver = GraphQLFieldResolver<unknown, Operation, Params>;

/** Returns errors that clients may see, and hides others. */
export function toClientError(error: unknown): unknown {
  // the result of the operation is discarded
  if (error instanceof ApiError || error instanceof GraphQLError || error instanceof ContentChanged) return error;
  const refusal = diskFull(error);
  if (refusal) return refusal;
  logError(error);
  return new UnexpectedError(error);
}

let pendingTurn: Promise<void> | undefined;

/** One promise per turn of the event loop, so that errors of the same turn are reported together. */
function nextTurn(): Promise<void> {
  pendingTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      pendingTurn = undefined;
      resolve();
    });
  });
  return pendingTurn;
}

/**
 * The number of event loop turns after which an error is reported. Strapi first checks permissions of all root fields, then
 * pagination, then the rest. Once a non-null field is refused, later errors are not reported.
 */
function turnsUntilReport(error: unknown): number {
  if (!(error instanceof ApiError) || error.name === "ForbiddenError") return 0;
  return error.name === "PaginationError" ? 1 : 2;
}

async function rejectLater(error: unknown): Promise<never> {
  for (let turns = turnsUntilReport(error); turns > 0; turns--) await nextTurn();
  throw toClientError(error);
}

const withErrorHandling =
  (resolve: RootResolver): RootResolver =>
  (source, args, operation, info) => {
    try {
      const result = resolve(source, args, operation, info);
      return result instanceof Promise ? result.catch(rejectLater) : result;
    } catch (error) {
      return rejectLater(error);
    }
  };

/** The permission of a root resolver, and the resolver without the check of it. */
export interface RootPermission {
  readonly action: string | undefined;
  readonly unchecked: RootResolver;
}

const permissions = new WeakMap<object, RootPermission>();

/** The permission of a resolver that `rootField` created; undefined for other resolvers. */
export const rootPermission = (resolver: object): RootPermission | undefined => permissions.get(resolver);

/** A field for documents of a type; `action` undefined: it needs no permission. */
export function rootField(
  type: ContentType,
  action: string | undefined,
  work: (field: RootField) => unknown,
): RootResolver {
  const run: RootResolver = (_source, args, operation, info) => {
    const runWork = (): unknown => {
      const overflow = operation.overflow();
      if (overflow) throw overflow;
      operation.checkBudget();
      return work({ operation, info, type, args });
    };
    operation.rootArguments.set(info.path.key, args);
    if (info.operation.operation !== "mutation") return operation.inTurn(runWork);
    return operation.budget.isPauseDue ? operation.budget.pause().then(runWork) : runWork();
  };
  const resolver = withErrorHandling((source, args, operation, info) => {
    if (action !== undefined && !operation.ability.can(action)) throw forbidden();
    return run(source, args, operation, info);
  });
  permissions.set(resolver, { action, unchecked: withErrorHandling(run) });
  return resolver;
}
