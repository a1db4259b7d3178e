/** The data and parameters of a client: sanitized and validated as in Strapi's Content API, with the schemas that a route adds. */
import { checkInput } from "../../engine/documents/input-keys.ts";
import { sanitizeInput, sanitizeOutput } from "../../engine/documents/sanitize.ts";
import type { Caller } from "../../engine/query/check-query.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { withBudget } from "../../lib/budgeted-params.ts";
import { isRecord } from "../../lib/is-record.ts";
import { sanitizeQuery } from "../data/sanitize-query.ts";
import {
  checkParams,
  checkWithSchemas,
  inputSchemas,
  keepNames,
  parseValues,
  querySchemas,
} from "../loader/route-schemas.ts";
import type { Runtime } from "../runtime.ts";

export interface ClientOptions {
  readonly caller: Caller;
  /** With the schemas of parameters and bodies. */
  readonly route: unknown;
  /** Refuse unknown parameters. */
  readonly isStrict: boolean;
}

export class ClientData {
  readonly #runtime: Runtime;
  readonly #type: ContentType;
  readonly #options: ClientOptions;

  constructor(runtime: Runtime, type: ContentType, options: ClientOptions) {
    this.#runtime = runtime;
    this.#type = type;
    this.#options = options;
  }

  /** Without what the caller may not see. A promise if code has added sanitizers. */
  output(data: unknown): unknown {
    const { context, sanitizers } = this.#runtime;
    const clean = sanitizeOutput(context.model, this.#type, data, this.#options.caller.canRead, true);
    return sanitizers.output(this.#type.uid, clean);
  }

  /** Without what the caller may not write, and as the schemas of the route convert it. */
  async input(data: unknown): Promise<unknown> {
    const { context, sanitizers } = this.#runtime;
    const own = sanitizeInput(context.model, this.#type, data, this.#options.caller.canRead);
    return this.parseInput(await sanitizers.input(this.#type.uid, own));
  }

  parseInput(data: unknown): unknown {
    return isRecord(data) ? parseValues(inputSchemas(this.#options.route), data) : data;
  }

  /** Without parameters that the caller may not use, and with the limits of the request. */
  query(params: Params): Params {
    const { caller, route, isStrict } = this.#options;
    const schemas = querySchemas(route);
    const parsed = parseValues(schemas, sanitizeQuery(this.#runtime.context.model, this.#type, params, caller.canRead));
    return withBudget(isStrict ? keepNames(parsed, schemas) : parsed, caller.budget);
  }

  /** Throws a ValidationError. */
  checkQuery(params: Params): void {
    const { caller, route, isStrict } = this.#options;
    if (isStrict) checkParams(params, route);
    this.#runtime.context.documents(this.#type, caller).check(params);
  }

  /** The data without unknown keys. Throws a ValidationError. */
  checkInput(data: unknown): unknown {
    const { caller, route } = this.#options;
    return checkWithSchemas(route, this.#type, data, (own) =>
      checkInput(this.#runtime.context.model, this.#type, { data: own }, caller.canRead),
    );
  }

  /** As `checkInput`, and with the validators of the code. */
  async validateInput(data: unknown): Promise<void> {
    this.checkInput(data);
    await this.#runtime.sanitizers.check(this.#type.uid, data);
  }
}
