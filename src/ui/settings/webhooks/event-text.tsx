/** Events of webhooks in words; with their names for developers. */
import { developerDetails } from "../../developer-details.ts";

const words: Readonly<Record<string, string>> = {
  "entry.create": "Document created",
  "entry.update": "Document changed",
  "entry.delete": "Document deleted",
  "entry.publish": "Document published",
  "entry.unpublish": "Document unpublished",
  "entry.draft-discard": "Draft discarded",
  "media.create": "File uploaded",
  "media.update": "File changed",
  "media.delete": "File deleted",
};

/** A project's own code may send others, which have no words. */
export const eventText = (event: string): string => words[event] ?? event;

export const EventName = ({ event }: { readonly event: string }) => (
  <span>
    {eventText(event)}
    {developerDetails.value && event in words ? <code class="hint"> {event}</code> : null}
  </span>
);
