/** The shape of an explanation: the checks in their order, each with its outcome. */

/** A link to the place in the admin page where the outcome can be changed. */
export type StepLink =
  | { readonly kind: "permission"; readonly action: string; readonly caller: CallerName }
  | { readonly kind: "document"; readonly uid: string; readonly documentId: string; readonly locale: string | null }
  | { readonly kind: "type"; readonly uid: string };

export interface Step {
  /** `refused` ends the request; `dropped` leaves a part of it out. */
  readonly outcome: "passed" | "refused" | "dropped" | "remark";
  readonly text: string;
  readonly link?: StepLink;
}

/** A caller, as the admin page names it. */
export type CallerName =
  | { readonly kind: "public" }
  | { readonly kind: "role"; readonly type: string }
  | { readonly kind: "token"; readonly name: string };

/** The response that the caller gets. */
export interface ReadAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The SQL that a REST read runs; absent for others. Long reads of other processes are not among them. */
  readonly statements?: readonly string[];
}

export interface Explanation {
  readonly steps: readonly Step[];
  /** Undefined for writes, which are not run, and for requests that are refused before the read. */
  readonly answer?: ReadAnswer;
}

const create =
  (outcome: Step["outcome"]) =>
  (text: string, link?: StepLink): Step => ({ outcome, text, ...(link ? { link } : {}) });

export const passed = create("passed");
export const remark = create("remark");
export const refused = create("refused");
export const dropped = create("dropped");
