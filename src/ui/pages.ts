/** Every page: a row here, and its path in `page-paths.ts`. */
import { ContentPage } from "./content/content-page.tsx";
import { ChangesSign } from "./content-changes/changes-sign.tsx";
import { start } from "./model.ts";
import type { Page } from "./page.ts";
import type { PagePath } from "./page-paths.ts";

export const pages: Readonly<Partial<Record<PagePath, Page>>> = {
  content: { label: "Content", icon: "documents", view: { component: ContentPage } },
  types: {
    label: "Content-types",
    icon: "types",
    view: { load: async () => (await import("./pages/content-types/content-types-page.tsx")).ContentTypesPage },
  },
  media: {
    label: "Media library",
    icon: "media",
    view: { load: async () => (await import("./media/media-page.tsx")).MediaPage },
  },
  changes: {
    label: "Changes",
    icon: "changes",
    isListed: () => start.value?.syncsContent === true,
    sign: ChangesSign,
    view: { load: async () => (await import("./content-changes/changes-page.tsx")).ChangesPage },
  },
  access: {
    label: "Access",
    icon: "key",
    view: { load: async () => (await import("./access/access-page.tsx")).AccessPage },
  },
  settings: {
    label: "Settings",
    icon: "settings",
    view: { load: async () => (await import("./settings/settings-page.tsx")).SettingsPage },
  },
  locales: {
    label: "Locales",
    icon: "globe",
    view: { load: async () => (await import("./locales/locales-page.tsx")).LocalesPage },
  },
  trash: {
    label: "Trash",
    icon: "trash",
    view: { load: async () => (await import("./trash/trash-page.tsx")).TrashPage },
  },
  agents: {
    label: "Agents",
    icon: "history",
    isListed: () => start.value?.hasAgentSessions === true,
    view: { load: async () => (await import("./agents/agents-page.tsx")).AgentsPage },
  },
  views: {
    label: "Forms",
    icon: "columns",
    isListed: () => false,
    view: { load: async () => (await import("./views/view-page.tsx")).ViewPage },
  },
};

/** The pages beside the content, as the navigation lists them. */
export const listedPages = (): (readonly [PagePath, Page])[] =>
  (Object.entries(pages) as [PagePath, Page][]).filter(
    ([path, { isListed }]) => path !== "content" && (isListed?.() ?? true),
  );
