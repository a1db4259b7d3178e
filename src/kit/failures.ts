/** Failures that a test sets for requests, so that a front end's error states are tested. */
import type { RequestFailure } from "../public-types.ts";
import { amount, anything, checkOptions, flag, type OptionRule, text } from "./check-options.ts";

const rules: Readonly<Record<keyof RequestFailure, OptionRule>> = {
  path: text,
  method: text,
  operation: text,
  status: {
    expected: "one of HTTP's, from 200 to 599",
    fits: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599,
  },
  body: anything,
  message: text,
  delay: amount,
  after: amount,
  times: amount,
  cut: flag,
};

interface Rule extends RequestFailure {
  /** How many requests it has met. */
  met: number;
}

interface FailingRequest {
  readonly method: string;
  readonly path: string;
  /** The name of the GraphQL operation. */
  readonly operation: string | undefined;
}

/** `*` stands for any characters. JavaScript's regular expressions could take forever for a pattern with many of them. */
function fits(pattern: string, path: string): boolean {
  const { RE2JS } = require("re2js") as typeof import("re2js");
  return RE2JS.compile(pattern.split("*").map(RE2JS.quote).join(".*"), RE2JS.DOTALL).matches(path);
}

/** A browser's preflight is no request of the front end: it passes, unless a rule is for its method. */
const meets = ({ path = "*", method, operation }: Rule, request: FailingRequest): boolean =>
  fits(path, request.path) &&
  (method === undefined ? request.method !== "OPTIONS" : method.toUpperCase() === request.method) &&
  (operation === undefined || operation === request.operation);

/** Without a stack, which Bun prints, with lines of Galley's source, for each request over a port. */
function createCutError(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new Error("The connection was cut by a failure of the test");
  Error.stackTraceLimit = stackTraceLimit;
  error.stack = String(error);
  return error;
}

/** Ends in the middle, as if the connection was cut. */
const cutResponse = (): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array([0x7b])),
      pull: (controller) => controller.error(createCutError()),
    }),
    { headers: { "Content-Type": "application/json" } },
  );

function failedResponse({
  status = 500,
  body,
  message = "Failed by the test",
  operation,
  cut,
}: RequestFailure): Response {
  if (cut) return cutResponse();
  if (body !== undefined) return Response.json(body, { status });
  if (operation === undefined)
    return Response.json({ data: null, error: { status, name: "Error", message, details: {} } }, { status });
  const extensions = { code: "INTERNAL_SERVER_ERROR", error: { name: "Error", message, details: {} } };
  return Response.json({ errors: [{ message, extensions }], data: null });
}

export class Failures {
  #rules: Rule[] = [];

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** Throws a TypeError for what is not valid. */
  add(failure: RequestFailure): void {
    checkOptions("the failure", failure, rules);
    this.#rules.push({ ...failure, met: 0 });
  }

  clear(): void {
    this.#rules = [];
  }

  /** The response to a request that fails; undefined for others, after the delay of a rule without a failure. */
  async respond(request: FailingRequest): Promise<Response | undefined> {
    for (const rule of this.#rules) {
      const { after = 0, times = Number.POSITIVE_INFINITY, delay = 0 } = rule;
      if (!meets(rule, request)) continue;
      rule.met++;
      if (rule.met <= after || rule.met > after + times) continue;
      if (delay > 0) await Bun.sleep(delay);
      const onlyDelays =
        rule.status === undefined && rule.body === undefined && !rule.cut && rule.message === undefined;
      if (delay > 0 && onlyDelays) continue;
      return failedResponse(rule);
    }
    return undefined;
  }
}
