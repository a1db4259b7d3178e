/** The views of the settings by their path segment, with their names in the tabs and the palette. */
export const settingsPaths = {
  webhooks: "Webhooks",
  registration: "Registration",
  providers: "Providers",
  mails: "Emails",
  backup: "Backup",
} as const;

export type SettingsPath = keyof typeof settingsPaths;
