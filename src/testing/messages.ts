/** Messages between a test on Node.js and the process that serves its project, as JSON. */

import type { ErrorName, ProjectProblem } from "../lib/errors.ts";
import type { DocumentService, ProjectClock, TestKit } from "../public-types.ts";

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

/** Functions of the kit that a test may call. */
export const kitFunctions = [
  "make",
  "makeMany",
  "build",
  "fail",
  "slow",
  "offline",
  "recover",
  "requests",
  "expectRequests",
  "webhooks",
  "mails",
  "clock.set",
  "clock.advance",
  "clock.reset",
] as const satisfies readonly (keyof TestKit | `clock.${keyof ProjectClock}`)[];

/** Those that are called on a project, and on a branch: a caller or a snapshot is named in their arguments, or a method of documents. */
export type TestFunction =
  | (typeof kitFunctions)[number]
  | "authorization"
  | "changes"
  | "documents"
  | "reset"
  | "snapshot";

/** A branch of the project in the process that serves it. */
export interface Branch {
  readonly branch: number;
  readonly url: string;
}

export interface ToServer {
  readonly id: number;
  /** On which the call works; 0: the project that was started. */
  readonly branch: number;
  /** `start` returns the URL, `branch` a `Branch`. */
  readonly name: TestFunction | "start" | "branch" | "close";
  readonly args: readonly unknown[];
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
  | { readonly kind: "type"; readonly message: string }
  | { readonly kind: "other"; readonly message: string };

export interface ToTest {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}
