/** The pages of the manual, as the API of the project `data/manual` answers them. */
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";

export interface ManualPage {
  readonly title: string;
  readonly slug: string;
  readonly section: string;
  readonly summary: string;
  /** Markdown. Links lead to other pages by the names of their files (`rest.md#reading`), or to files of the repository. */
  readonly text: string;
}

const PROJECT = join(import.meta.dir, "../../data/manual");
const TYPE = "/api/content-type-builder/content-types/api::page.page";
const PAGES = "/api/pages?fields=title,slug,section,summary,text&sort=order&pagination[pageSize]=100";

interface PageType {
  readonly schema: { readonly attributes: { readonly section: { readonly enum: readonly string[] } } };
}

/** In the order of their sections, and in them by `order`. */
export async function readPages(): Promise<readonly ManualPage[]> {
  await using galley = await createGalley({ project: PROJECT, environment: {} });
  const read = async <T>(path: string): Promise<T> => {
    const response = await galley.fetch(path);
    return ((await response.json()) as { data: T }).data;
  };
  const { schema } = await read<PageType>(TYPE);
  const pages = await read<readonly ManualPage[]>(PAGES);
  return schema.attributes.section.enum.flatMap((name) => pages.filter(({ section }) => section === name));
}
