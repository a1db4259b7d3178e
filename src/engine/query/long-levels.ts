/** Which populated levels another process should read, since their statement looks at many links. */
import { linkCount } from "../storage/table-sizes.ts";
import { type Followed, isLocalizations } from "./children-sql.ts";
import { compilerFor } from "./compile.ts";
import { joinsManyLinks } from "./joined-links.ts";
import { listIds } from "./links.ts";
import type { BudgetedReadContext } from "./read-context.ts";
import type { JoinableAttribute } from "./tree.ts";

/** Filtering, sorting or paging more takes longer than 50 ms. */
const MANY_LINKS = 30_000;

/** Whether the parents have many links. */
function haveManyLinks(context: BudgetedReadContext, followed: Followed<JoinableAttribute>): boolean {
  const { schema, attribute, parents, query } = followed;
  if (!attribute.many || attribute.link.field === "") return parents.length > MANY_LINKS;
  if (linkCount(context.storage, attribute.link.field) <= MANY_LINKS) return false;
  const compiler = compilerFor(context, query.schema);
  const { near, condition } = compiler.link(attribute, "l", schema.table);
  const links = `SELECT 1 FROM galley_links l WHERE ${condition} AND ${compiler.oneOf(near, listIds(parents))} LIMIT ${MANY_LINKS + 1}`;
  return Number(context.storage.first(`SELECT count(*) FROM (${links})`, compiler.params)?.[0]) > MANY_LINKS;
}

/** Whether the statement for the children of an attribute looks at many links. */
export function isLongLevel(context: BudgetedReadContext, followed: Followed): boolean {
  const { storage } = context;
  if (!storage.hasLongReads) return false;
  if (joinsManyLinks(storage, followed.query)) return true;
  return !isLocalizations(followed.attribute) && haveManyLinks(context, followed as Followed<JoinableAttribute>);
}
