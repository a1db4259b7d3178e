/** What the guided tour of Strapi's panel needs: all content-types. */
import { type AdminRoute, ok } from "../admin/call.ts";
import { createSchemas } from "../strapi/data/schemas.ts";
import type { Project } from "./project/project.ts";

export const guidedTourRoutes = ({ context }: Project): AdminRoute[] => [
  {
    method: "GET",
    path: "/admin/guided-tour-meta",
    // there is one administrator
    handle: () => ok({ data: { isFirstSuperAdminUser: true, schemas: createSchemas(context.model).contentTypes } }),
  },
];
