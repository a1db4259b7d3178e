/** A number with a fraction, stored unrounded. */
import { fractionType } from "./number-rules.ts";

export const float = fractionType("float");
