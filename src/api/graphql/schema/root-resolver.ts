/** The resolvers of root fields: they check the permission, then the arguments, then run the operation. */

import { GraphQLError, type GraphQLFieldConfigMap, type GraphQLFieldResolver } from "graphql";
import { ApiError } from "../../../errors.ts";
import { logError } from "../../../print-value.ts";
import type { Params } from "../../../query/parse.ts";
import type { ContentType } from "../../../schema/model.ts";
import { diskFull } from "../../../storage/problems.ts";
import { UnexpectedError } from "../format-error.ts";
import type { Operation } from "../operation.ts";
import { forbidden } from "../plan/planner.ts";
import type { RootField } from "../plan/root-field.ts";

export type RootFields = GraphQLFieldConfigMap<unknown, Operation>;
export type RootResolver = GraphQLFieldResolver<unknown, Operation, Params>;

/** Returns errors that clients may see, and hides others. */
export function expected(error: unknown): unknown {
  if (error instanceof ApiError || error instanceof GraphQLError) return error;
  const refusal = diskFull(error);
  if (refusal) return refusal;
  logError(error);
  return new UnexpectedError(error);
}

let upcoming: Promise<void> | undefined;

/** One promise per turn of the event loop, so that errors of the same turn are reported together. */
function nextTurn(): Promise<void> {
  upcoming ??= new Promise((resolve) => {
    setImmediate(() => {
      upcoming = undefined;
      resolve();
    });
  });
  return upcoming;
}

/**
 * The turns of the event loop after which an error is reported. The reference checks the permissions of all root fields first, then how they are
 * paged, then the rest; once a field that must not be null is refused, later errors are not reported.
 */
function turnsOf(error: unknown): number {
  if (!(error instanceof ApiError) || error.name === "ForbiddenError") return 0;
  return error.name === "PaginationError" ? 1 : 2;
}

async function refuse(error: unknown): Promise<never> {
  for (let turns = turnsOf(error); turns > 0; turns--) await nextTurn();
  throw expected(error);
}

const guarded =
  (resolve: RootResolver): RootResolver =>
  (source, args, operation, info) => {
    try {
      const result = resolve(source, args, operation, info);
      return result instanceof Promise ? result.catch(refuse) : result;
    } catch (error) {
      return refuse(error);
    }
  };

/** The permission of a root resolver, and the resolver without the check of it. */
export interface RootPermission {
  readonly action: string | undefined;
  readonly unchecked: RootResolver;
}

const permissions = new WeakMap<object, RootPermission>();

/** For replacing the check; undefined for other resolvers. */
export const rootPermission = (resolver: object): RootPermission | undefined => permissions.get(resolver);

/** A field for documents of a type; `action` undefined: it needs no permission. */
export function rootField(
  type: ContentType,
  action: string | undefined,
  work: (field: RootField) => unknown,
): RootResolver {
  const run: RootResolver = (_source, args, operation, info) => {
    const start = (): unknown => {
      const overflow = operation.overflow();
      if (overflow) throw overflow;
      operation.checkBudget();
      return work({ operation, info, type, args });
    };
    // mutations run sequentially, so that other requests can be served in between
    const isPauseDue = info.operation.operation === "mutation" && operation.budget.isPauseDue;
    return isPauseDue ? operation.budget.pause().then(start) : start();
  };
  const resolver = guarded((source, args, operation, info) => {
    if (action !== undefined && !operation.ability.can(action)) throw forbidden();
    return run(source, args, operation, info);
  });
  permissions.set(resolver, { action, unchecked: guarded(run) });
  return resolver;
}
