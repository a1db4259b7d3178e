/** `/admin/homepage/layout`: which widgets Strapi's start page shows, and how wide. */

import { setStored, storedValue } from "../../engine/storage/core-store.ts";
import { checkBody, type Shape } from "../../lib/shape.ts";
import { ADMINISTRATOR_ID } from "../administrator.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";

const PATH = "/admin/homepage/layout";
const KEY = `core_admin_homepage-layout:${ADMINISTRATOR_ID}`;
const MAX_WIDGETS = 100;
/** Widths in a grid of twelve columns. */
const WIDTHS = [4, 6, 8, 12];

const time = (value: string, path: string) =>
  /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)) ? undefined : `${path} must be an ISO time`;
const atMostWidgets = (list: readonly unknown[], path: string) =>
  list.length > MAX_WIDGETS ? `${path} must have at most ${MAX_WIDGETS} items` : undefined;
const version = (value: number, path: string) =>
  Number.isInteger(value) && value >= 1 ? undefined : `${path} must be a positive integer`;

const widget: Shape = {
  type: "object",
  strict: true,
  required: true,
  exact: true,
  fields: {
    uid: { type: "string", strict: true, required: true },
    width: { type: "number", strict: true, required: true, oneOf: WIDTHS },
  },
};

const shape: Shape = {
  type: "object",
  strict: true,
  exact: true,
  fields: {
    version: { type: "number", strict: true, tests: [version] },
    widgets: { type: "array", strict: true, required: true, tests: [atMostWidgets], item: () => widget },
    updatedAt: { type: "string", strict: true, tests: [time] },
  },
};

export const homepageLayoutRoutes = ({ context: { storage } }: AdminServices): AdminRoute[] => [
  route("GET", PATH, () => ok({ data: storedValue(storage, KEY) ?? null })),
  route("PUT", PATH, async ({ body }) => {
    const {
      version: layoutVersion = 1,
      widgets,
      updatedAt = new Date().toISOString(),
    } = checkBody(shape, await body());
    const layout = { version: layoutVersion, widgets, updatedAt };
    await storage.write(() => setStored(storage, KEY, layout));
    return ok({ data: layout });
  }),
];
