/** The named types of one GraphQL schema. */
import type { GraphQLNamedType } from "graphql";
import type { Model } from "../../../schema/model.ts";

export class Types {
  readonly model: Model;
  readonly #made = new Map<string, { readonly of: string; readonly type: GraphQLNamedType }>();

  constructor(model: Model) {
    this.model = model;
  }

  /**
   * Makes each type once. Its fields are made when they are asked for, so that types may refer to each other, and types
   * that nobody refers to are never made. Throws when a name stands for two different things; `of` tells which.
   */
  once<T extends GraphQLNamedType>(name: string, of: string, make: (name: string) => T): T {
    const known = this.#made.get(name);
    if (!known) {
      const type = make(name);
      this.#made.set(name, { of, type });
      return type;
    }
    if (known.of !== of) throw new Error(`The GraphQL type ${name} would stand for both ${known.of} and ${of}`);
    return known.type as T;
  }
}
