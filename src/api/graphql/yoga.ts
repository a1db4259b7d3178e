/** Types for the part of Yoga that is used: Yoga's own types include the DOM's, which conflict with Bun's. */
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLError,
  GraphQLSchema,
  Source,
  ValidationRule,
} from "graphql";

type Parse = (source: string | Source) => DocumentNode;
type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

export interface Plugin {
  readonly onParse?: (hook: { readonly setParseFn: (parse: Parse) => void }) => void;
  /** May return a function that is called after validation. */
  readonly onValidate?: (hook: {
    readonly params: { readonly documentAST: DocumentNode };
    readonly addValidationRule: (rule: ValidationRule) => void;
    readonly setResult: (errors: readonly GraphQLError[]) => void;
  }) => ((end: { readonly valid: boolean }) => void) | undefined;
  readonly onExecute?: (hook: { readonly setExecuteFn: (execute: Execute) => void }) => void;
}

interface Cache<T> {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => unknown;
}

export interface YogaOptions {
  readonly schema: GraphQLSchema;
  readonly graphiql: false;
  readonly landingPage: false;
  readonly cors: false;
  readonly multipart: false;
  readonly maskedErrors: false;
  readonly logging: false;
  readonly parserAndValidationCache: { readonly documentCache: Cache<DocumentNode>; readonly errorCache: Cache<Error> };
  /** Called in this order. */
  readonly plugins: readonly Plugin[];
}

export interface Yoga {
  /** The functions for one operation, wrapped by all plugins. */
  readonly getEnveloped: (context: object) => {
    readonly schema: GraphQLSchema;
    readonly parse: Parse;
    readonly validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[];
    readonly execute: Execute;
  };
}

export const createYoga = (options: YogaOptions): Yoga =>
  (require("graphql-yoga") as { createYoga: (options: YogaOptions) => Yoga }).createYoga(options);
