/** What the person who loads content can put right: the message says all of it. */
export class LoadError extends Error {}
