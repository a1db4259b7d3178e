/** What a server's refusal to save says of the fields of a form. */
import { ApiFailure } from "../../api/client.ts";
import { placeProblems } from "./problems.ts";
import type { Group, Node } from "./tree.ts";

export interface PlacedRefusal {
  /** The first field with an error; undefined if the refusal concerns none. */
  readonly first: Node | undefined;
  /** The messages that belong to no field, where others do. */
  readonly others: readonly string[];
  /** A link was removed whose target is gone: saving can be tried again. */
  readonly isRepaired: boolean;
}

const NOTHING: PlacedRefusal = { first: undefined, others: [], isRepaired: false };

/** Shows the errors at their fields. Throws the server's errors of the requests that find missing targets. */
export async function placeRefusal(form: Group, error: unknown): Promise<PlacedRefusal> {
  if (!(error instanceof ApiFailure)) return NOTHING;
  const placed = placeProblems(form, error.problems);
  if (placed.first) return { ...placed, isRepaired: false };
  if (error.status !== 400) return NOTHING;
  const { findMissing } = await import("./missing-targets.ts");
  return { ...(await findMissing(form, error.message)), others: [] };
}
