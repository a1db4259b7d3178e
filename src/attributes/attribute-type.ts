/** What the rest of Galley needs to know of an attribute type. One file per type fills this in. */
import type { TProperties, Type } from "@sinclair/typebox";

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

/** A rule looks at a value that has the right type; it answers the message of the rule that is broken. */
export type Rule = (value: never, definition: AttributeDefinition, at: RuleContext) => string | undefined;

export interface RuleContext {
  readonly path: string;
  readonly draft: boolean;
}

export interface NestedProblem {
  readonly path: string;
  readonly message: string;
  readonly value?: unknown;
}

export interface ScalarType {
  readonly name: string;
  readonly column: {
    readonly affinity: "TEXT" | "INTEGER" | "REAL";
    /** Wraps a quoted column where the stored form is not the one to read. */
    readonly read?: (column: string) => string;
  };
  /** What the value must be after `cast`, named as in "must be a `string` type"; absent: anything goes. */
  readonly expects?: { readonly name: string; readonly is: (value: unknown) => boolean; readonly nullable?: boolean };
  /** Turns what clients may send for this type into the value that is checked; unfit values come back as they are. */
  readonly cast?: (value: unknown) => unknown;
  /** Checked even when the type is wrong (the reference's enumeration). */
  readonly membership?: Rule;
  readonly rules?: readonly Rule[];
  /** Problems inside a structured value, each with its own path. */
  readonly inside?: (value: unknown, path: string) => NestedProblem[];
  /** The stored form of a checked value. Throws a ValidationError for a value whose format shows only now. */
  readonly store: (value: unknown) => SqlValue;
  /**
   * The stored form of a value as another server of this kind answered or exported it: already checked there, and not
   * interpreted again. Absent: strings and numbers as they are. Throws a ValidationError.
   */
  readonly restore?: (value: unknown) => SqlValue;
  /** The answered form of what `column.read` gives; absent: as stored. */
  readonly load?: (stored: SqlValue) => unknown;
  /** The stored form of a filter's operand. Throws a ValidationError that names the attribute. */
  readonly operand: (value: unknown, attribute: string) => SqlValue;
  /** How `_q` looks at it; absent: not at all. */
  readonly search?: "text" | "number";
  /** True for values that may be too long to be kept in an index. */
  readonly long?: true;
  /** True for secrets: hashed when written, never answered. */
  readonly secret?: true;
  readonly names: {
    readonly graphql: string;
    readonly openapi: Readonly<Record<string, string>>;
    readonly typescript: string;
  };
  /** The keys of a schema file that belong to this type. */
  readonly options?: (t: typeof Type) => TProperties;
}
