/** The type of a row of `pages.ts`. */
import type { ComponentType } from "preact";
import type { IconName } from "./widgets/icon.tsx";

export interface PageProps {
  /** The path segments after the page's own, decoded. */
  readonly segments: readonly string[];
}

export type PageComponent = ComponentType<PageProps>;

export interface Page {
  /** Shown in the navigation, except for content, which lists its types. */
  readonly label: string;
  readonly icon: IconName;
  /** Whether the navigation has it; always, if left out. */
  readonly isListed?: () => boolean;
  /** Shown after the label. */
  readonly sign?: ComponentType;
  /** A component of the first bundle, or one that is loaded on demand. */
  readonly view: { readonly component: PageComponent } | { readonly load: () => Promise<PageComponent> };
}
