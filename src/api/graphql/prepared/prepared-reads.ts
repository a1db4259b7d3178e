/**
 * Operations that only read are prepared when they are sent a second time, with any literals and variables. They are then not
 * parsed, validated, planned or executed by graphql-js, which handles everything else, including all errors.
 */
import { type DocumentNode, type GraphQLInputType, type GraphQLSchema, getOperationAST, parse } from "graphql";
import type { Operation } from "../operation.ts";
import { coerceLiterals, literalsToVariables, type Variables } from "./literals.ts";
import type { Literal } from "./parameterize.ts";
import { PreparedRead } from "./prepared-read.ts";
import type { ValidatedTexts } from "./validated-texts.ts";

/** The operations of all texts that share a cache key. */
export class PreparedDocument {
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  /** By operation name; undefined: graphql-js has to execute it. */
  readonly #reads = new Map<string | undefined, PreparedRead | undefined>();
  /** The types of the literals that became variables. */
  readonly types: readonly GraphQLInputType[];

  constructor(schema: GraphQLSchema, document: DocumentNode, types: readonly GraphQLInputType[]) {
    this.#schema = schema;
    this.#document = document;
    this.types = types;
  }

  read(operationName: string | undefined): PreparedRead | undefined {
    if (this.#reads.has(operationName)) return this.#reads.get(operationName);
    const operation = getOperationAST(this.#document, operationName);
    // unknown names are not cached, since their number is unlimited
    if (!operation) return undefined;
    const read = PreparedRead.create(this.#schema, this.#document, operation);
    this.#reads.set(operationName, read);
    return read;
  }
}

export interface ReadRequest {
  readonly text: string;
  readonly operationName: string | undefined;
  readonly variables: Variables | undefined;
}

export class PreparedReads {
  readonly #schema: GraphQLSchema;
  readonly #texts: ValidatedTexts<PreparedDocument>;

  constructor(schema: GraphQLSchema, texts: ValidatedTexts<PreparedDocument>) {
    this.#schema = schema;
    this.#texts = texts;
  }

  /** The data of the answer; undefined: graphql-js has to execute the operation. */
  run(operation: Operation, { text, operationName, variables }: ReadRequest): Record<string, unknown> | undefined {
    try {
      const validated = this.#texts.find(text);
      if (!validated) return undefined;
      const literals = validated.freeLiterals(this.#texts.parameterized(text));
      validated.prepared ??= this.#prepare(text, literals);
      const read = validated.prepared.read(operationName);
      const values = read && coerceLiterals(validated.prepared.types, literals);
      return values && read.run(operation, variables, values);
    } catch {
      // graphql-js will raise and report the same error
      return undefined;
    }
  }

  #prepare(text: string, literals: readonly Literal[]): PreparedDocument {
    const { document, types } = literalsToVariables(this.#schema, parse(text), literals);
    return new PreparedDocument(this.#schema, document, types);
  }
}
