/**
 * Changes of the GraphQL schema as a plain value with all functions resolved from their names. Keys are
 * those of Strapi's extension service.
 */
import type { GraphQLResolveInfo } from "graphql";
import { FOLDER } from "../../../engine/schema/builtin/index.ts";
import type { Caller } from "../caller.ts";

/** A resolver of the project. `context`: the result of `GraphqlExtensions.createContext` for the operation. */
export type ProjectResolver = (parent: unknown, args: never, context: never, info: GraphQLResolveInfo) => unknown;

type Next = (parent: unknown, args: unknown, context: unknown, info: GraphQLResolveInfo) => unknown;

export type Middleware = (
  next: Next,
  parent: unknown,
  args: unknown,
  context: unknown,
  info: GraphQLResolveInfo,
) => unknown;

export interface PolicyContext {
  readonly parent: unknown;
  readonly args: unknown;
  readonly context: unknown;
  readonly info: GraphQLResolveInfo;
}

/** Allows the field by `true` or `undefined`; any other value refuses it. */
export type Policy = (context: PolicyContext) => unknown;

export interface ResolverConfig {
  /** False: public. A scope: the required actions. Undefined: as generated; fields of the project need authentication. */
  readonly auth?: boolean | { readonly scope?: string | readonly string[] };
  readonly policies?: readonly Policy[];
  /** Called in this order. */
  readonly middlewares?: readonly Middleware[];
  /** Nested by type: as in Strapi, generated fields have a configuration of their own, which comes before it. */
  readonly isNested?: boolean;
}

/** The parts of an attribute that can be excluded from the schema. */
export type AttributePart = "output" | "input" | "filters";

/** The parts of a content-type or component that are excluded from the schema. */
export interface ShadowCrudRules {
  /** Excludes the type, and relations to it. */
  readonly disabled?: boolean;
  readonly queriesDisabled?: boolean;
  readonly mutationsDisabled?: boolean;
  /** `find`, `findOne`, `create`, `update`, `delete`, or `*` for all of them. */
  readonly disabledActions?: readonly string[];
  /** By attribute. */
  readonly disabledParts?: Readonly<Record<string, readonly AttributePart[]>>;
}

/**
 * The project's `nexus`, with the `graphql` that it was loaded with. Types of one copy of graphql-js cannot be used with
 * another, so they are passed as SDL and functions.
 */
export interface NexusTypes {
  readonly nexus: { makeSchema(config: { types: unknown }): object };
  readonly graphql: {
    buildSchema(sdl: string): object;
    printSchema(schema: object): string;
    readonly defaultFieldResolver: unknown;
  };
  readonly types: readonly unknown[];
  readonly plugins?: readonly unknown[];
}

export type ProjectResolvers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface GraphqlExtensions {
  /** Rules by uid. */
  readonly shadowCrud?: Readonly<Record<string, ShadowCrudRules>>;
  readonly typeDefs?: readonly string[];
  readonly nexus?: NexusTypes;
  /** By type and field: functions, or `{ resolve }`. */
  readonly resolvers?: ProjectResolvers;
  /** By `Type.field`. */
  readonly resolversConfig?: Readonly<Record<string, ResolverConfig>>;
  /** Creates the context of resolvers, middlewares and policies, once per operation that needs it. */
  readonly createContext?: (caller: Caller) => unknown;
  /** Runs a resolver with its middlewares and policies, and rejects if that takes too long; without a limit by default. */
  readonly limit?: (subject: string, work: () => unknown) => Promise<unknown>;
  /** Converts an error of a resolver of the project to what clients see. */
  readonly clientError?: (error: unknown) => unknown;
}

/** Folders of the media library are only for the admin page; Strapi's upload plugin disables them as well. */
const builtinRules: Readonly<Record<string, ShadowCrudRules>> = { [FOLDER]: { disabled: true } };

/** Decides whether a part of the generated schema is included. */
export class ShadowCrud {
  readonly #rules: Readonly<Record<string, ShadowCrudRules>>;

  constructor(rules: Readonly<Record<string, ShadowCrudRules>> = {}) {
    this.#rules = { ...rules, ...builtinRules };
  }

  #rulesFor(uid: string): ShadowCrudRules {
    return Object.hasOwn(this.#rules, uid) ? (this.#rules[uid] ?? {}) : {};
  }

  has(uid: string): boolean {
    return this.#rulesFor(uid).disabled !== true;
  }

  hasAction(uid: string, action: "find" | "findOne" | "create" | "update" | "delete"): boolean {
    const { disabled, queriesDisabled, mutationsDisabled, disabledActions = [] } = this.#rulesFor(uid);
    const isQuery = action === "find" || action === "findOne";
    if (disabled || (isQuery ? queriesDisabled : mutationsDisabled)) return false;
    return !disabledActions.includes(action) && !disabledActions.includes("*");
  }

  hasPart(uid: string, attribute: string, part: AttributePart): boolean {
    const { disabledParts = {} } = this.#rulesFor(uid);
    return !Object.hasOwn(disabledParts, attribute) || !disabledParts[attribute]?.includes(part);
  }
}
