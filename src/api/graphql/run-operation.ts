/** Runs one operation: as a prepared read, or else parses, validates and executes it. */
import { type DocumentNode, type ExecutionResult, GraphQLError, getOperationAST, Kind } from "graphql";
import { readAgain } from "../../engine/query/reading.ts";
import type { Tags } from "../../lib/cache-tags.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Engine } from "./engine.ts";
import { boundErrors, boundRefusals, type ErrorCode, type FormattedError, formatError } from "./format-error.ts";
import { badRequest } from "./http/bad-request.ts";
import { withReason } from "./limits/selections.ts";
import { maxVariableErrors } from "./limits/variables.ts";
import type { Operation } from "./operation.ts";
import type { Yoga } from "./yoga.ts";

export interface OperationRequest {
  readonly text: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  /** Refuse mutations, as for GET requests. */
  readonly readsOnly: boolean;
  /** Called when the operation is valid. */
  readonly onAccepted: () => void;
}

export interface OperationResult {
  readonly status: number;
  /** `errors` is the first key; without `data`, nothing was executed. */
  readonly body: { readonly errors?: readonly FormattedError[]; readonly data?: unknown };
  /** A query without errors. */
  readonly isPlainRead: boolean;
  /** What a plain read depends on. */
  readonly tags?: Tags | undefined;
  /** Of a result that clients may store. */
  readonly cacheControl?: string | undefined;
}

const refusalResult = (errors: readonly GraphQLError[], code: ErrorCode): OperationResult => ({
  status: 400,
  body: { errors: boundRefusals(errors.map((error) => formatError(error, code))) },
  isPlainRead: false,
});

/** The parsed document, or the syntax error. */
function parseText(parse: (text: string) => DocumentNode, text: string): DocumentNode | GraphQLError {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** The operation is restarted if a prepared read falls back to graphql-js, and if content changes while it pauses. */
export async function runOperation(
  engine: Engine,
  first: Operation,
  request: OperationRequest,
): Promise<OperationResult> {
  const data = engine.prepared.run(first, request);
  if (data) {
    request.onAccepted();
    return { status: 200, body: { data }, isPlainRead: true, tags: first.budget.tags };
  }
  const operation = first.restart("served");
  const result = await executeOperation(engine.yoga, operation, request);
  if (!operation.isOutdated) return result;
  let last: Operation | undefined;
  try {
    return await readAgain(first.services.context.storage, operation.budget, (reader) => {
      last = operation.restart(reader ? "served" : "none", reader);
      return executeOperation(engine.yoga, last, request);
    });
  } finally {
    // its connection is closed: fields that still wait, after the error of another one, must not use it
    if (last) last.isOutdated = true;
  }
}

async function executeOperation(
  yoga: Yoga,
  operation: Operation,
  { text, operationName, variables, readsOnly, onAccepted }: OperationRequest,
): Promise<OperationResult> {
  const { schema, parse, validate, execute } = yoga.getEnveloped({});
  const document = parseText(parse, text);
  if (document instanceof GraphQLError) return refusalResult([document], "GRAPHQL_PARSE_FAILED");
  const problems: readonly GraphQLError[] = validate(schema, document);
  if (problems.length > 0) return refusalResult(problems.map(withReason), "GRAPHQL_VALIDATION_FAILED");
  const operationNode = getOperationAST(document, operationName);
  if (readsOnly && operationNode && operationNode.operation !== "query") {
    const message = `GET requests only support query operations, not ${operationNode.operation} operations`;
    throw badRequest(message, { status: 405, allow: "POST" });
  }
  onAccepted();
  const result: ExecutionResult = await execute({
    schema,
    document,
    contextValue: operation,
    variableValues: variables,
    operationName,
    options: { maxCoercionErrors: maxVariableErrors(variables) },
  });
  const executed = toResult(
    result,
    operation,
    operationNode ? "INTERNAL_SERVER_ERROR" : "OPERATION_RESOLUTION_FAILURE",
  );
  const isPlainRead =
    operationNode?.operation === "query" && operation.isCacheable && executed.body.errors === undefined;
  const cacheControl =
    operationNode && executed.body.errors === undefined
      ? operation.cacheHints?.findHeader(document, operationNode.selectionSet, executed.body.data)
      : undefined;
  return { ...executed, isPlainRead, tags: operation.budget.tags, cacheControl };
}

/** Whether an error is about the value of a variable; graphql-js finds those at the start of execution. */
const isAboutVariable = ({ nodes }: GraphQLError): boolean =>
  nodes?.length === 1 && nodes[0]?.kind === Kind.VARIABLE_DEFINITION;

/** The status of `extensions.http`, as resolvers of Apollo Server set it. */
function findStatus({ http }: GraphQLError["extensions"]): number | undefined {
  const status: unknown = isRecord(http) ? http.status : undefined;
  return Number.isInteger(status) && Number(status) >= 200 && Number(status) < 600 ? Number(status) : undefined;
}

function toResult(
  { data, errors }: ExecutionResult,
  operation: Operation,
  code: ErrorCode,
): Pick<OperationResult, "status" | "body"> {
  const overflow = operation.overflow();
  if (overflow) return { status: 200, body: { errors: [formatError(overflow, code)], data: null } };
  const formatted = errors?.map((error) => formatError(error, isAboutVariable(error) ? "BAD_USER_INPUT" : code));
  const bounded = formatted && (data === undefined ? boundRefusals(formatted) : boundErrors(formatted));
  const body = { ...(bounded ? { errors: bounded } : {}), ...(data === undefined ? {} : { data }) };
  const status = operation.status ?? errors?.flatMap(({ extensions }) => findStatus(extensions) ?? []).at(-1);
  return { status: status ?? (data === undefined ? 400 : 200), body };
}
