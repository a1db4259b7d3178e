/** The requests that a test's server has answered, and what a test expects of them. */
import { parse } from "qs";
import { isRecord } from "../lib/is-record.ts";
import type { AnsweredRequest, ExpectedRequests } from "../public-types.ts";

/** Earlier ones are forgotten. */
const MAX_REQUESTS = 10_000;

/** As parameters of REST are nested. */
const readQuery = (query: string): unknown => parse(query, { depth: 20, arrayLimit: 1_000, parameterLimit: 1_000 });

/** Whether everything that is expected is there. Other parameters may be there, too. */
function includes(actual: unknown, expected: unknown): boolean {
  if (!isRecord(expected)) return Bun.deepEquals(actual, expected);
  return isRecord(actual) && Object.entries(expected).every(([key, value]) => includes(actual[key], value));
}

/** "GET /api/articles?populate=author", or "GraphQL Articles" for an operation by its name. */
function isMeant(key: string, { method, path, operation }: AnsweredRequest): boolean {
  const [word = "", target = ""] = key.split(" ", 2);
  if (word === "GraphQL") return operation === target;
  const [wantedPath, query = ""] = target.split("?", 2);
  const [actualPath, actualQuery = ""] = path.split("?", 2);
  return word === method && wantedPath === actualPath && includes(readQuery(actualQuery), readQuery(query));
}

const describe = ({ method, path, operation, status }: AnsweredRequest): string =>
  `${method} ${path}${operation === undefined ? "" : ` (${operation})`} ${status}`;

export class AnsweredRequests {
  readonly #requests: AnsweredRequest[] = [];

  add(request: AnsweredRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > MAX_REQUESTS) this.#requests.shift();
  }

  clear(): void {
    this.#requests.length = 0;
  }

  list(): AnsweredRequest[] {
    return [...this.#requests];
  }

  /** Throws an Error that lists all requests if the number of one is another one. */
  expect(expected: ExpectedRequests): void {
    if (!isRecord(expected)) throw new TypeError('Requests are expected by an object, as { "GET /api/articles": 1 }');
    const problems = Object.entries(expected).flatMap(([key, wanted]) => {
      const count = this.#requests.filter((request) => isMeant(key, request)).length;
      return count === wanted ? [] : [`${key}: ${count} instead of ${wanted}`];
    });
    if (problems.length === 0) return;
    const all = this.#requests.map((request) => `  ${describe(request)}`);
    throw new Error(
      [...problems, all.length === 0 ? "There were no requests" : "The requests were", ...all].join("\n"),
    );
  }
}
