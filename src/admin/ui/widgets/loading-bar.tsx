/** A thin line at the top while the server is asked; only requests that take their time are seen. */
import { pendingRequests } from "../api/pending.ts";

export const LoadingBar = () => (pendingRequests.value > 0 ? <div class="loading-bar" aria-hidden="true" /> : null);
