/** Offers sample content for a single type without content. */
import { Button } from "../widgets/button.tsx";
import { attempt, showDone } from "../widgets/toasts.tsx";
import type { OpenDocument } from "./open-document.ts";

export function EmptySingle({ open }: { readonly open: OpenDocument }) {
  const { type, isBusy, locale } = open;
  const fill = async (): Promise<void> => {
    await attempt(async () => {
      const { makeSamples, newSeed } = await import("../sample-requests.ts");
      const request = { uid: type.uid, count: 1, from: 0, seed: newSeed(), locale, publish: false };
      const { made, refused } = await makeSamples(request);
      if (made === 0) throw new Error(`Nothing was created: ${refused.join("; ")}`);
      await open.revert();
      showDone("Filled with sample content");
    });
  };
  return (
    <div class="notice notice-neutral">
      <span>There is no content{locale === undefined ? "" : " in this locale"} yet.</span>
      <Button kind="link" text="Fill it with sample content" disabled={isBusy.value} onClick={fill} />
    </div>
  );
}
