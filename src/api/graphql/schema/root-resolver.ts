/** The resolvers of root fields: they check the permission, then the arguments, then run the operation. */

import { GraphQLError, type GraphQLFieldConfigMap, type GraphQLFieldResolver } from "graphql";
import type { Params } from "../../../engine/query/parse.ts";
import { ContentChanged } from "../../../engine/query/reading.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { diskFull } from "../../../engine/storage/problems.ts";
import { ApiError } from "../../../lib/errors.ts";
import { logError } from "../../../lib/printable.ts";
import { UnexpectedError } from "../format-error.ts";
import type { Operation } from "../operation.ts";
import { forbiddenAccess } from "../plan/planner.ts";
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

/** Rejects even for errors that are thrown at once: a refused field must not keep the others from being told of. */
const reject = (error: unknown): Promise<never> => Promise.reject(toClientError(error));

const withErrorHandling =
  (resolve: RootResolver): RootResolver =>
  (source, args, operation, info) => {
    try {
      const result = resolve(source, args, operation, info);
      return result instanceof Promise ? result.catch(reject) : result;
    } catch (error) {
      return reject(error);
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
    if (action !== undefined && !operation.ability.can(action)) throw forbiddenAccess();
    return run(source, args, operation, info);
  });
  permissions.set(resolver, { action, unchecked: withErrorHandling(run) });
  return resolver;
}
