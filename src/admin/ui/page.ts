/** What a page is: a row of `pages.ts`. */
import type { ComponentType } from "preact";
import type { IconName } from "./widgets/icon.tsx";

export interface PageProps {
  /** What follows the page in the URL's path, decoded. */
  readonly segments: readonly string[];
}

export type PageComponent = ComponentType<PageProps>;

export interface Page {
  /** In the navigation; content has its types there. */
  readonly label: string;
  readonly icon: IconName;
  /** The page is part of the first bundle, or loaded when it is first shown. */
  readonly view: { readonly component: PageComponent } | { readonly load: () => Promise<PageComponent> };
}
