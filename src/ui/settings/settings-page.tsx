/** Settings that are stored with the content, and backups. Each view is loaded when it is first opened. */
import type { ComponentType } from "preact";
import { lazy } from "../lazy.tsx";
import type { PageProps } from "../page.ts";
import { hrefTo } from "../router.ts";
import { NotFound } from "../shell/not-found.tsx";
import { type SettingsPath, settingsPaths } from "./settings-paths.ts";

/** They take the path segments after their own. */
const views: Readonly<Record<SettingsPath, ComponentType<PageProps>>> = {
  webhooks: lazy(async () => (await import("./webhooks/webhooks-view.tsx")).WebhooksView),
  registration: lazy(async () => (await import("./users/registration-view.tsx")).RegistrationView),
  providers: lazy(async () => (await import("./users/providers-view.tsx")).ProvidersView),
  mails: lazy(async () => (await import("./users/mails-view.tsx")).MailsView),
  backup: lazy(async () => (await import("./backup/backup-view.tsx")).BackupView),
};

const isPath = (name: string): name is SettingsPath => Object.hasOwn(views, name);

export function SettingsPage({ segments: [name = "webhooks", ...segments] }: PageProps) {
  const View = isPath(name) ? views[name] : NotFound;
  return (
    <div class="page settings-page">
      <header class="page-head">
        <h1>Settings</h1>
      </header>
      <nav class="tabs" aria-label="Settings">
        {Object.entries(settingsPaths).map(([path, label]) => (
          <a key={path} href={hrefTo("settings", [path])} aria-current={path === name ? "page" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <View key={name} segments={segments} />
    </div>
  );
}
