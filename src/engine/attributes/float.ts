/** A floating-point number, stored unrounded. */
import { fractionType } from "./number-rules.ts";

export const float = fractionType("float");
