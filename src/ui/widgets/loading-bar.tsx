/** A thin line at the top while a request takes long. */
import { isWaiting } from "../api/pending.ts";

export const LoadingBar = () => (isWaiting.value ? <div class="loading-bar" aria-hidden="true" /> : null);
