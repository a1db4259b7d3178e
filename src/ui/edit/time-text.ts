/** A time of the server as text of the user's language. */
export const timeText = (time: string | null | undefined): string => (time ? new Date(time).toLocaleString() : "–");
