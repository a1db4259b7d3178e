/** The explanation of a decision: what was looked at, one after the other, and what each said. */

/** What the page leads to, so that a decision can be changed. */
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

/** Who asks, as the page names them. */
export type CallerName =
  | { readonly kind: "public" }
  | { readonly kind: "role"; readonly type: string }
  | { readonly kind: "token"; readonly name: string };

/** A read's answer, as the caller gets it. */
export interface ReadAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface Explanation {
  readonly steps: readonly Step[];
  /** Undefined for writes, which are not made, and for what is refused before it is read. */
  readonly answer?: ReadAnswer;
}

export const passed = (text: string): Step => ({ outcome: "passed", text });
export const remark = (text: string, link?: StepLink): Step => ({ outcome: "remark", text, ...(link ? { link } : {}) });
export const refused = (text: string, link?: StepLink): Step => ({
  outcome: "refused",
  text,
  ...(link ? { link } : {}),
});
export const dropped = (text: string, link?: StepLink): Step => ({
  outcome: "dropped",
  text,
  ...(link ? { link } : {}),
});
