/** `info.cacheControl` of the project's resolvers and middlewares, and the `Cache-Control` that follows, as of Apollo Server. */

import { type DocumentNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from "graphql";
import { isRecord } from "../../lib/is-record.ts";

interface Hint {
  /** In seconds. */
  readonly maxAge?: number;
  readonly scope?: "PUBLIC" | "PRIVATE";
}

/** Response keys, without the positions in lists. */
function joinPath(path: GraphQLResolveInfo["path"] | undefined): string {
  if (!path) return "";
  const parent = joinPath(path.prev);
  return typeof path.key === "number" ? parent : `${parent}/${path.key}`;
}

export class CacheHints {
  /** The hints of all rows, by path. */
  readonly #hints = new Map<string, { readonly cacheHint: Hint }[]>();

  /** Gives a resolver the hint of one field of one row. */
  attach(info: GraphQLResolveInfo): void {
    const hints = this.#hints;
    const control = {
      cacheHint: {} as Hint,
      setCacheHint(hint: Hint) {
        if (Object.keys(control.cacheHint).length === 0)
          hints.getOrInsertComputed(joinPath(info.path), () => []).push(control);
        control.cacheHint = { ...control.cacheHint, ...hint };
      },
      cacheHintFromType: () => undefined,
    };
    Object.assign(info, { cacheControl: control });
  }

  /** Undefined: the response must not be stored. `data`: the result, which shows which fields were executed. */
  findHeader(document: DocumentNode, selected: SelectionSetNode, data: unknown): string | undefined {
    if (this.#hints.size === 0) return undefined;
    let maxAge = Number.POSITIVE_INFINITY;
    let scope = "public";
    const visit = (set: SelectionSetNode, rows: readonly Record<string, unknown>[], path: string): void => {
      for (const node of set.selections) {
        if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, rows, path);
        else if (node.kind === Kind.FRAGMENT_SPREAD) {
          for (const part of document.definitions)
            if (part.kind === Kind.FRAGMENT_DEFINITION && part.name.value === node.name.value)
              visit(part.selectionSet, rows, path);
        } else if (!node.name.value.startsWith("__")) {
          const key = (node.alias ?? node.name).value;
          const executed = rows.filter((row) => Object.hasOwn(row, key));
          const own = `${path}/${key}`;
          const hints = (this.#hints.get(own) ?? []).map(({ cacheHint }) => cacheHint);
          // other values are as fresh as the object that they are in
          const isChecked = path === "" || node.selectionSet !== undefined;
          const ages = hints.flatMap((hint) => hint.maxAge ?? []);
          // one by one: there may be too many for the arguments of one call
          for (const age of ages) maxAge = Math.min(maxAge, age);
          if (isChecked && ages.length < executed.length) maxAge = 0;
          if (hints.some((hint) => hint.scope === "PRIVATE")) scope = "private";
          const inner = executed.flatMap((row) => [row[key]].flat(Number.POSITIVE_INFINITY)).filter(isRecord);
          if (node.selectionSet) visit(node.selectionSet, inner, own);
        }
      }
    };
    visit(selected, [data].filter(isRecord), "");
    return maxAge > 0 && Number.isFinite(maxAge) ? `max-age=${maxAge}, ${scope}` : undefined;
  }
}
