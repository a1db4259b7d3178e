/** The stored webhooks with their last deliveries, as the page's routes answer them. */

export interface Delivery {
  readonly id: number;
  readonly event: string;
  readonly sentAt: string;
  /** Of the response; 500 if there was none, null if nothing was sent. */
  readonly status: number | null;
  readonly message: string;
  readonly milliseconds: number;
  /** Whether it can be shown, and sent again. */
  readonly hasBody: boolean;
}

export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Their names: the values are secrets. */
  readonly headers: readonly string[];
  readonly events: readonly string[];
  readonly isEnabled: boolean;
  /** It is called once somebody has confirmed it: it was imported, and its host is not public. */
  readonly isUnconfirmed?: boolean;
  /** Why it is not called. */
  readonly problem: string | null;
  /** The newest first. */
  readonly deliveries: readonly Delivery[];
}

export interface WebhooksAnswer {
  readonly data: readonly Webhook[];
  /** Those that webhooks may name. */
  readonly events: readonly string[];
}

export const WEBHOOKS_PATH = "/webhooks";
export const DELIVERIES_PATH = "/webhook-deliveries";

export const hasFailed = ({ status }: Pick<Delivery, "status">): boolean => status === null || status >= 300;
