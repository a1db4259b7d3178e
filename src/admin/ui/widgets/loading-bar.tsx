/** A thin line at the top while requests are pending. It fades in late, so that fast requests do not flicker. */
import { pendingRequests } from "../api/pending.ts";

export const LoadingBar = () => (pendingRequests.value > 0 ? <div class="loading-bar" aria-hidden="true" /> : null);
