/** The resolvers of root fields: permission first, then the arguments, then the work. */
import { GraphQLError, type GraphQLFieldResolver } from "graphql";
import { ApiError } from "../../../errors.ts";
import type { Params } from "../../../query/parse.ts";
import type { ContentType } from "../../../schema/model.ts";
import { UnexpectedError } from "../format-error.ts";
import type { Operation } from "../operation.ts";
import { forbidden } from "../plan/planner.ts";
import type { RootField } from "../plan/read.ts";

export type RootResolver = GraphQLFieldResolver<unknown, Operation, Params>;

/** Lets through what clients are told of, and hides the rest. */
function expected(error: unknown): unknown {
  if (error instanceof ApiError || error instanceof GraphQLError) return error;
  console.error(error);
  return new UnexpectedError(error);
}

const guarded =
  (resolve: RootResolver): RootResolver =>
  (source, args, operation, info) => {
    try {
      const result = resolve(source, args, operation, info);
      return result instanceof Promise ? result.catch((error: unknown) => Promise.reject(expected(error))) : result;
    } catch (error) {
      throw expected(error);
    }
  };

/** A field about documents of a type; `action` undefined: it needs no permission. */
export const rootField = (
  type: ContentType,
  action: string | undefined,
  work: (field: RootField) => unknown,
): RootResolver =>
  guarded((_source, args, operation, info) => {
    if (action !== undefined && !operation.ability.can(action)) throw forbidden();
    const overflow = operation.overflow();
    if (overflow) throw overflow;
    return work({ operation, info, type, args });
  });
