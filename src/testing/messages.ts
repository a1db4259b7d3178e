/** Messages between a test on Node.js and the process that serves its project, as JSON. */

import type { ErrorName, ProjectProblem } from "../lib/errors.ts";
import type { DocumentService, GalleyOptions } from "../public-types.ts";

/** Functions of the document service that a test may call. */
export const documentMethods = [
  "findMany",
  "findFirst",
  "findOne",
  "count",
  "create",
  "update",
  "delete",
  "publish",
  "unpublish",
  "discardDraft",
  "clone",
] as const satisfies readonly (keyof DocumentService)[];

export type DocumentMethod = (typeof documentMethods)[number];

export type Call =
  /** Returns the URL. */
  | { readonly kind: "start"; readonly options: GalleyOptions }
  | {
      readonly kind: "documents";
      readonly uid: string;
      readonly method: DocumentMethod;
      readonly params: Readonly<Record<string, unknown>> | undefined;
    }
  /** Returns the header, or null. */
  | { readonly kind: "authorization"; readonly caller: string }
  /** Returns the number of the snapshot. */
  | { readonly kind: "snapshot" }
  /** `to`: number of a snapshot; undefined: the state after the start. */
  | { readonly kind: "reset"; readonly to: number | undefined };

export interface ToServer {
  readonly id: number;
  readonly call: Call;
}

/** A serialized error. */
export type Failure =
  | {
      readonly kind: "api";
      readonly error: ErrorName;
      readonly message: string;
      readonly details?: Readonly<Record<string, unknown>> | undefined;
      readonly name: string;
      readonly status: number;
    }
  | { readonly kind: "project"; readonly problems: readonly ProjectProblem[] }
  | { readonly kind: "other"; readonly message: string };

export interface ToTest {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}
