/** A sign-in with one provider, by OAuth 1 or 2: where the user is sent, and what the provider answers afterwards. */
export type Fields = Readonly<Record<string, unknown>>;

/** What the session keeps between the requests of one sign-in. */
export interface Grant {
  readonly provider?: string;
  /** OAuth 2: protects the callback. */
  readonly state?: string;
  /** OAuth 1: the request token and its secret. */
  readonly request?: Fields;
  /** The callback that the client chose. */
  readonly dynamic?: { readonly callback?: string };
  readonly response?: Fields;
}

export interface Flow {
  /** Rejects with the provider's error. */
  readonly begin: () => Promise<{ readonly url: string; readonly grant: Pick<Grant, "state" | "request"> }>;
  /** Resolves with the tokens for the session. Rejects with the provider's error, and for a callback of another sign-in. */
  readonly finish: (query: Fields, grant: Grant) => Promise<Fields>;
}
