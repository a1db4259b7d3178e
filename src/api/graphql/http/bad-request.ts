/** A request that is refused before there is an operation, or before it is run. */
import { GraphQLError } from "graphql";

export interface RefusalOptions {
  /** 400 unless stated. */
  readonly status?: number;
  /** Methods that would have been accepted. */
  readonly allow?: string;
  readonly code?: string;
}

export class RequestRefusal extends GraphQLError {
  readonly status: number;
  readonly allow: string | undefined;

  constructor(message: string, { status = 400, allow, code = "BAD_REQUEST" }: RefusalOptions) {
    super(message, { extensions: { code } });
    this.status = status;
    this.allow = allow;
  }
}

export const badRequest = (message: string, options: RefusalOptions = {}): RequestRefusal =>
  new RequestRefusal(message, options);
