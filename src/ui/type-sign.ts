/** The icon of a content-type: what the last word of its name says, or else its kind. */
import type { IconName } from "./widgets/icon.tsx";

const words: Readonly<Partial<Record<IconName, string>>> = {
  book: "book chapter course edition issue lesson magazine",
  box: "item order package product",
  calendar: "appointment booking date event schedule",
  chat: "comment faq feedback message question review testimonial",
  folder: "category collection department genre section topic",
  globe: "country language site website",
  home: "home homepage",
  link: "link menu navigation redirect",
  mail: "mail newsletter subscriber",
  media: "album banner gallery image photo picture slide video",
  place: "address city location place region store venue",
  settings: "config configuration global setting",
  single: "page",
  tag: "brand keyword label tag",
  user: "artist author contact customer employee member person speaker user",
};

const signs = new Map(
  Object.entries(words).flatMap(([icon, names]) => names.split(" ").map((name) => [name, icon as IconName] as const)),
);

export interface SignedType {
  readonly kind: string;
  /** As in `blog-author`. */
  readonly singularName?: string | undefined;
}

export const typeSign = ({ kind, singularName = "" }: SignedType): IconName =>
  signs.get(singularName.split("-").at(-1)!) ?? (kind === "singleType" ? "single" : "documents");
