/** `GET /admin/api/events`: the event stream for open windows of the admin page. */
import { ApiError } from "../../lib/errors.ts";
import { type AdminRoute, route } from "../call.ts";
import { API_PATH } from "../session/session.ts";
import type { ChangeFeed } from "./change-feed.ts";

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  // a proxy would buffer events
  "X-Accel-Buffering": "no",
} as const;

export function eventRoutes(feed: ChangeFeed): AdminRoute[] {
  return [
    route("GET", `${API_PATH}/events`, () => {
      if (feed.isFull) throw new ApiError("ServiceUnavailableError", "Too many windows of the admin page are open");
      return { status: 200, stream: feed.open(), headers: HEADERS };
    }),
  ];
}
