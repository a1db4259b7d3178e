/** The interface of an attribute type. Each type implements it in one file. */
import type { TProperties, Type } from "@sinclair/typebox";
import type { Problem } from "../../lib/errors.ts";

export type SqlValue = string | number | bigint | null;

/** An attribute as a schema file declares it. */
export interface AttributeDefinition {
  readonly type: string;
  readonly required?: boolean;
  readonly unique?: boolean;
  readonly private?: boolean;
  readonly default?: unknown;
  readonly [option: string]: unknown;
}

/** Checks a value of the right type. Returns the message if the rule is violated. */
export type Rule = (value: never, definition: AttributeDefinition, context: RuleContext) => string | undefined;

export interface RuleContext {
  readonly path: string;
  readonly draft: boolean;
}

export type GraphqlScalarName = "Boolean" | "Date" | "DateTime" | "Float" | "Int" | "JSON" | "Long" | "String" | "Time";

export interface ScalarType {
  readonly name: string;
  readonly column: {
    readonly affinity: "TEXT" | "INTEGER" | "REAL";
    /** The expression that reads a quoted column; undefined: the column itself. */
    readonly read?: (column: string) => string;
  };
  /** The expected type after `cast`, named as in "must be a `string` type"; undefined: any value. */
  readonly expects?: { readonly name: string; readonly is: (value: unknown) => boolean; readonly nullable?: boolean };
  /** Casts a client's value before it is checked; returns values that cannot be cast unchanged. */
  readonly cast?: (value: unknown) => unknown;
  /** A rule that is checked even if the type is wrong, as Strapi does for enumerations. */
  readonly membership?: Rule;
  readonly rules?: readonly Rule[];
  /** Problems inside a structured value, each with its own path. */
  readonly validateNested?: (value: unknown, path: string) => Problem[];
  /** The stored form of a checked value. Throws a ValidationError for a wrong format. */
  readonly store: (value: unknown) => SqlValue;
  /**
   * The stored form of a value that was exported by another server: it was validated there and is not cast again. Undefined:
   * strings and numbers are stored unchanged. Throws a ValidationError.
   */
  readonly restore?: (value: unknown) => SqlValue;
  /**
   * Converts the result of `column.read` for the response; undefined: no conversion. Throws for a value that no write stores, but
   * damage or another program may have.
   */
  readonly load?: (stored: SqlValue) => unknown;
  /** The stored form of a filter's operand. Throws a ValidationError that names the attribute. */
  readonly operand: (value: unknown, attribute: string) => SqlValue;
  /** How `_q` searches it; undefined: not at all. */
  readonly search?: "text" | "number";
  /** True for values that may be too long for an index. */
  readonly isLong?: true;
  /** True for secrets: hashed when written, never returned. */
  readonly isSecret?: true;
  /** True for types whose `unique` option has no effect, as in Strapi. */
  readonly ignoresUnique?: true;
  /** The scalar type in GraphQL; enumerations have types of their own. */
  readonly graphqlName: GraphqlScalarName;
  /** The options of this type in schema files. */
  readonly options?: (t: typeof Type) => TProperties;
}
