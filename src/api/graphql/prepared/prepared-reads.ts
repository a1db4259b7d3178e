/**
 * Operations that only read are prepared when they come the second time, with whatever values, and need then neither be
 * parsed, validated, planned nor executed step by step. Whatever is unusual about one, be it only an error to be
 * answered, is not for these.
 */
import { type DocumentNode, type GraphQLInputType, type GraphQLSchema, getOperationAST, parse } from "graphql";
import type { Operation } from "../operation.ts";
import { PreparedRead } from "./prepared-read.ts";
import type { Literal, ValidShapes } from "./shapes.ts";
import { readValues, takeValues, type Variables } from "./values.ts";

/** The operations of all texts with one shape. */
export class PreparedDocument {
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  /** Undefined: it has to be executed step by step. */
  readonly #reads = new Map<string | undefined, PreparedRead | undefined>();
  /** Of the values that were taken out. */
  readonly types: readonly GraphQLInputType[];

  constructor(schema: GraphQLSchema, document: DocumentNode, types: readonly GraphQLInputType[]) {
    this.#schema = schema;
    this.#document = document;
    this.types = types;
  }

  read(operationName: string | undefined): PreparedRead | undefined {
    if (this.#reads.has(operationName)) return this.#reads.get(operationName);
    const operation = getOperationAST(this.#document, operationName);
    // names that the document does not have are not remembered: there is no end of them
    if (!operation) return undefined;
    const read = PreparedRead.of(this.#schema, this.#document, operation);
    this.#reads.set(operationName, read);
    return read;
  }
}

export interface Asked {
  readonly text: string;
  readonly operationName: string | undefined;
  readonly variables: Variables | undefined;
}

export class PreparedReads {
  readonly #schema: GraphQLSchema;
  readonly #shapes: ValidShapes<PreparedDocument>;

  constructor(schema: GraphQLSchema, shapes: ValidShapes<PreparedDocument>) {
    this.#schema = schema;
    this.#shapes = shapes;
  }

  /** The data that an operation answers; undefined: it is to be executed step by step. */
  run(operation: Operation, { text, operationName, variables }: Asked): Record<string, unknown> | undefined {
    try {
      const known = this.#shapes.find(text);
      if (!known) return undefined;
      const literals = known.free(this.#shapes.shapeOf(text));
      known.kept ??= this.#prepare(text, literals);
      const read = known.kept.read(operationName);
      const values = read && readValues(known.kept.types, literals);
      return values && read.run(operation, variables, values);
    } catch {
      // whatever it is, it is found again step by step, and told
      return undefined;
    }
  }

  #prepare(text: string, literals: readonly Literal[]): PreparedDocument {
    const { document, types } = takeValues(this.#schema, parse(text), literals);
    return new PreparedDocument(this.#schema, document, types);
  }
}
