/** The error of a request that is refused before its operation runs. */
import { GraphQLError } from "graphql";

export interface RefusalOptions {
  /** Default: 400. */
  readonly status?: number;
  /** The `Allow` header. */
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
