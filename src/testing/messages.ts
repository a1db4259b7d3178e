/** Messages between a test on Node.js and the process that serves its project, as JSON. */

import type { ErrorName, ProjectProblem } from "../lib/errors.ts";
import type { DocumentService, GalleyOptions, ProjectClock, TestKit } from "../public-types.ts";

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

const clockFunctions = ["clock.set", "clock.advance", "clock.reset"] as const;

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
  "changes",
  "webhooks",
  "mails",
  ...clockFunctions,
] as const satisfies readonly (keyof TestKit | `clock.${keyof ProjectClock}`)[];

export type KitFunction = (typeof kitFunctions)[number];

export type Call =
  /** Returns the URL. */
  | { readonly kind: "start"; readonly options: GalleyOptions }
  | {
      readonly kind: "documents";
      readonly uid: string;
      readonly method: DocumentMethod;
      readonly params: Readonly<Record<string, unknown>> | undefined;
    }
  | { readonly kind: "kit"; readonly name: KitFunction; readonly args: readonly unknown[] }
  /** Returns the header, or null. */
  | { readonly kind: "authorization"; readonly caller: string }
  /** Returns the number of the snapshot. */
  | { readonly kind: "snapshot" }
  /** `since`: number of a snapshot; undefined: the state after the start. */
  | { readonly kind: "changes"; readonly since: number | undefined }
  /** `to`: as `since`. */
  | { readonly kind: "reset"; readonly to: number | undefined }
  /** Returns the branch and its URL, as `Branch`. */
  | { readonly kind: "branch" }
  | { readonly kind: "close" };

/** A branch of the project in the process that serves it. */
export interface Branch {
  readonly branch: number;
  readonly url: string;
}

export interface ToServer {
  readonly id: number;
  /** On which the call works; 0: the project that was started. */
  readonly branch: number;
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
  | { readonly kind: "type"; readonly message: string }
  | { readonly kind: "other"; readonly message: string };

export interface ToTest {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}
