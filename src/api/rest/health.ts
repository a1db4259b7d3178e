/** `/_health`, for monitoring: 204 while the server is running. */
import type { HttpRoute } from "../http-route.ts";
import type { CommonHeaders } from "./respond.ts";

export const healthRoutes = (headers: CommonHeaders): HttpRoute[] => [
  {
    method: "ALL",
    path: "/_health",
    handle: ({ request }) => {
      const preflight = headers.preflight(request);
      if (preflight) return preflight;
      const responseHeaders = headers.of(request);
      responseHeaders.set("strapi", "You are so French!");
      return new Response(null, { status: 204, headers: responseHeaders });
    },
  },
];
