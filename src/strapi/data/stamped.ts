/** The times of a write, which Strapi adds to data before hooks run. */
import type { Params } from "../../engine/query/parse.ts";
import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { QueryAction } from "./lifecycles.ts";

type Stamp = (data: Record<string, unknown>, now: Date) => Record<string, unknown>;

const created: Stamp = (data, now) => ({ createdAt: now, updatedAt: now, ...data });
const updated: Stamp = (data, now) => ({ ...data, updatedAt: now });

const stamps: Readonly<Partial<Record<QueryAction, Stamp>>> = {
  create: created,
  createMany: created,
  update: updated,
};

/** A copy of the parameters. */
export function stamped(action: QueryAction, { ...params }: Params, clock: Clock): Params & Record<string, unknown> {
  const stamp = stamps[action];
  const { data } = params;
  if (!stamp || (!isRecord(data) && !Array.isArray(data))) return params;
  const now = new Date(clock.writeTime());
  const each = (item: unknown): unknown => (isRecord(item) ? stamp(item, now) : item);
  return { ...params, data: Array.isArray(data) ? data.map(each) : each(data) };
}
