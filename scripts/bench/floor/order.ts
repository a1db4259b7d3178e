/** What lists need to know of published articles, in memory. The floor is the only one that writes, so that it stays right. */
import { type FloorDatabase, PUBLISHED, type Row } from "./database.ts";

export interface Listed {
  readonly id: number;
  readonly views: number;
  readonly date: string;
  /** In lower case. */
  readonly title: string;
}

export interface Order {
  readonly byId: ReadonlyMap<number, Listed>;
  /** Sorted by views and id. */
  readonly byViews: readonly Listed[];
  /** Titles by id, each after a line end. */
  readonly titles: () => { readonly text: string; readonly ids: readonly number[] };
  readonly replace: (old: number | undefined, article: Listed) => void;
}

const compareViews = (a: Listed, b: Listed): number => a.views - b.views || a.id - b.id;

/** The place of the first article that does not come before `article`. */
export function placeOf(list: readonly Listed[], article: Pick<Listed, "id" | "views">): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareViews(list[middle]!, article as Listed) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

export function readOrder({ prepare }: FloorDatabase): Order {
  const statement = prepare(`SELECT id, views, publishDate, lower(title) FROM articles WHERE ${PUBLISHED}`);
  const rows = statement.values() as Row[];
  const all = rows.map(([id, views, date, title]) => ({ id, views, date: date ?? "", title }) as Listed);
  const byId = new Map(all.map((article) => [article.id, article]));
  const byViews = all.sort(compareViews);
  let titles: ReturnType<Order["titles"]> | undefined;
  return {
    byId,
    byViews,
    titles: () => {
      if (!titles) {
        const sorted = byViews.toSorted((a, b) => a.id - b.id);
        titles = { text: `\n${sorted.map(({ title }) => title).join("\n")}`, ids: sorted.map(({ id }) => id) };
      }
      return titles;
    },
    replace: (old, article) => {
      titles = undefined;
      const before = old === undefined ? undefined : byId.get(old);
      if (before) {
        byViews.splice(placeOf(byViews, before), 1);
        byId.delete(before.id);
      }
      byViews.splice(placeOf(byViews, article), 0, article);
      byId.set(article.id, article);
    },
  };
}
