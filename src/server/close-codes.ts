/** Close codes of WebSockets, by RFC 6455. */

/** The server stops, or its target has ended. */
export const GOING_AWAY = 1001;
export const TOO_BIG = 1009;
export const INTERNAL_ERROR = 1011;
