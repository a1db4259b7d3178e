/** A point in time, returned as milliseconds since 1970 in a string. */
import type { ScalarType } from "./attribute-type.ts";
import { datetime } from "./datetime.ts";

export const timestamp: ScalarType = {
  ...datetime,
  name: "timestamp",
  load: (stored) => (stored === null ? null : String(Date.parse(new Date(stored as string).toISOString()))),
  graphqlName: "DateTime",
};
