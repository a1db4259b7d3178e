/** The format of scenarios and recordings: requests in order, and Strapi's answers to them. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Step {
  /** Unique within the scenario; what a difference is reported under. */
  readonly id: string;
  /** Whose credentials the request carries; `bearer` overrides it. Default: "full". */
  readonly as?: "public" | "full" | "read" | "custom" | "admin" | "mcp";
  /** A token to send instead, e.g. "{{jwt}}". */
  readonly bearer?: string;
  readonly method?: string;
  /** Path with its query string already encoded, or without one when `query` is given. */
  readonly path?: string;
  /** Nested object, sent in bracket syntax: {filters:{a:{$eq:1}}} is filters[a][$eq]=1. */
  readonly query?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: Json;
  /** Raw request body, sent as it is. */
  readonly raw?: string;
  readonly graphql?: string;
  /** A request of the Model Context Protocol: its method and parameters. */
  readonly mcp?: { readonly method: string; readonly params?: Json };
  readonly variables?: Json;
  readonly multipart?: {
    readonly files?: readonly { field: string; file: string; filename?: string; type?: string }[];
    readonly fields?: Readonly<Record<string, string>>;
  };
  /** Values to keep for later steps: {"a": "data.documentId"}; "{{a}}" then stands for it. */
  readonly save?: Readonly<Record<string, string>>;
  /** Dotted paths of the body that are not compared ("*" matches any key or index). */
  readonly ignore?: readonly string[];
  /** Response headers to record and compare besides the content type. */
  readonly compareHeaders?: readonly string[];
  /** "json" (default) | "text" | "bytes" (compares length and content type only) | "none". */
  readonly expect?: "json" | "text" | "bytes" | "none";
  /** Why this step is here. */
  readonly note?: string;
}

export interface Scenario {
  readonly name: string;
  readonly project?: string;
  readonly about?: string;
  readonly steps: readonly Step[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export interface Recording {
  readonly name: string;
  readonly project: string;
  readonly about?: string;
  /** Which reference answered. */
  readonly reference: string;
  readonly steps: readonly (Step & { readonly answer: Answer })[];
}
