/**
 * What each route is guarded by and what it answers to a request without content, as written down from the description of
 * Strapi. Placeholders are filled with what does not exist, so that nothing is changed by asking.
 */

/** A status; refusals with their message. */
export type Decision = `${number}` | `${401 | 403} ${string}`;

export interface Row {
  readonly action: string;
  /** To whoever may. */
  readonly served: Decision;
  /** Whether a read-only token may. */
  readonly readOnly: boolean;
  /** To those who may but are no user, where that is another answer. */
  readonly withoutUser?: Decision;
}

const may = (action: string, served: Decision, withoutUser?: Decision): Row => ({
  action,
  served,
  readOnly: false,
  ...(withoutUser === undefined ? {} : { withoutUser }),
});
const read = (action: string, served: Decision): Row => ({ action, served, readOnly: true });

const users = (name: string): string => `plugin::users-permissions.${name}`;
const ANONYMOUS = "401 Missing authentication";

const content: Readonly<Record<string, Row>> = {
  "GET /notes": read("api::note.note.find", "200"),
  "GET /notes/:id": read("api::note.note.findOne", "404"),
  "POST /notes": may("api::note.note.create", "400"),
  "PUT /notes/:id": may("api::note.note.update", "400"),
  "DELETE /notes/:id": may("api::note.note.delete", "204"),
  "GET /site": read("api::site.site.find", "404"),
  "PUT /site": may("api::site.site.update", "400"),
  "DELETE /site": may("api::site.site.delete", "204"),
};

const plugins: Readonly<Record<string, Row>> = {
  "GET /i18n/locales": may("plugin::i18n.locales.listLocales", "200"),
  "GET /content-type-builder/content-types": may("plugin::content-type-builder.content-types.getContentTypes", "200"),
  "GET /content-type-builder/content-types/:uid": may(
    "plugin::content-type-builder.content-types.getContentType",
    "404",
  ),
  "GET /content-type-builder/components": may("plugin::content-type-builder.components.getComponents", "200"),
  "GET /content-type-builder/components/:uid": may("plugin::content-type-builder.components.getComponent", "404"),
  "POST /email": may("plugin::email.email.send", "400"),
  "POST /upload": may("plugin::upload.content-api.upload", "400"),
  "GET /upload/files": read("plugin::upload.content-api.find", "200"),
  "GET /upload/files/page": may("plugin::upload.content-api.findPage", "200"),
  "GET /upload/files/:id": read("plugin::upload.content-api.findOne", "404"),
  "DELETE /upload/files/:id": may("plugin::upload.content-api.destroy", "404"),
};

const auth: Readonly<Record<string, Row>> = {
  "GET /connect/*": may(users("auth.connect"), "400"),
  "POST /auth/local": may(users("auth.callback"), "400"),
  "GET /auth/:provider/callback": may(users("auth.callback"), "400"),
  "POST /auth/local/register": may(users("auth.register"), "400"),
  "POST /auth/forgot-password": may(users("auth.forgotPassword"), "400"),
  "POST /auth/reset-password": may(users("auth.resetPassword"), "400"),
  "POST /auth/change-password": may(users("auth.changePassword"), "400"),
  "GET /auth/email-confirmation": may(users("auth.emailConfirmation"), "400"),
  "POST /auth/send-email-confirmation": may(users("auth.sendEmailConfirmation"), "400"),
};

const people: Readonly<Record<string, Row>> = {
  "GET /users/count": may(users("user.count"), "200"),
  "GET /users": read(users("user.find"), "200"),
  "GET /users/me": may(users("user.me"), "200", "401 Unauthorized"),
  "GET /users/:id": read(users("user.findOne"), "204"),
  "POST /users": may(users("user.create"), "400"),
  "PUT /users/:id": may(users("user.update"), "404"),
  "DELETE /users/:id": may(users("user.destroy"), "204"),
  "GET /users-permissions/roles": read(users("role.find"), "200"),
  "GET /users-permissions/roles/:id": read(users("role.findOne"), "404"),
  "POST /users-permissions/roles": may(users("role.createRole"), "400"),
  "PUT /users-permissions/roles/:id": may(users("role.updateRole"), "400"),
  "DELETE /users-permissions/roles/:id": may(users("role.deleteRole"), "404"),
  "GET /users-permissions/permissions": may(users("permissions.getPermissions"), "200"),
};

/** Where there are no sessions their routes are not found, by those who might. */
const plainTokens: Readonly<Record<string, Row>> = {
  "POST /auth/refresh": may(users("auth.refresh"), "404"),
  "POST /auth/logout": may(users("auth.logout"), "404"),
  "GET /auth/sessions": may(users("auth.getSessions"), "404"),
  "DELETE /auth/sessions/:id": may(users("auth.revokeSession"), "404"),
};

const sessionTokens: Readonly<Record<string, Row>> = {
  "POST /auth/refresh": may(users("auth.refresh"), "400"),
  "POST /auth/logout": may(users("auth.logout"), "200", ANONYMOUS),
  "GET /auth/sessions": may(users("auth.getSessions"), "200", ANONYMOUS),
  "DELETE /auth/sessions/:id": may(users("auth.revokeSession"), "404", ANONYMOUS),
};

export type Mode = "legacy-support" | "refresh";

export const tables: Readonly<Record<Mode, Readonly<Record<string, Row>>>> = {
  "legacy-support": { ...content, ...plugins, ...auth, ...people, ...plainTokens },
  refresh: { ...content, ...plugins, ...auth, ...people, ...sessionTokens },
};

/** What the two roles may do in a project that says nothing about them. */
export const atFirst = {
  public: [
    "auth.callback",
    "auth.connect",
    "auth.forgotPassword",
    "auth.resetPassword",
    "auth.register",
    "auth.emailConfirmation",
    "auth.sendEmailConfirmation",
    "auth.refresh",
  ].map(users),
  authenticated: ["auth.logout", "auth.getSessions", "auth.revokeSession", "auth.changePassword", "user.me"].map(users),
} as const;

/** Answered to everybody, whatever the credentials: by method and address. */
export const open: Readonly<Record<string, `${number}`>> = {
  "GET /": "302",
  "GET /_health": "204",
  "POST /_health": "204",
  "HEAD /_health": "204",
  "GET /uploads/note.txt": "200",
  "HEAD /uploads/note.txt": "200",
  "GET /uploads/unknown.txt": "404",
  "GET /robots.txt": "404",
  "GET /api": "404",
  "GET /api/unknown": "404",
  "POST /api/unknown": "405",
  "GET /api/note": "404",
  "PATCH /api/notes": "405",
  "PUT /api/notes": "405",
  "DELETE /api/notes": "405",
  "POST /api/users/me": "405",
  "GET /api/auth/local": "404",
  "GET /api/users-permissions/routes": "404",
  "GET /api/users-permissions/policies": "404",
  "OPTIONS /api/notes": "200",
  "OPTIONS /api/users": "200",
};
