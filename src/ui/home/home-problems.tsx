/** What needs attention: files that are not valid, conflicts, and webhooks that are not called, or failed. */
import { useAnswer } from "../api/use-answer.ts";
import { summary } from "../content-changes/followed.ts";
import { hrefTo } from "../router.ts";
import { hasFailed, WEBHOOKS_PATH, type WebhooksAnswer } from "../settings/webhooks/webhook-requests.ts";
import { Icon } from "../widgets/icon.tsx";

interface Problem {
  readonly text: string;
  readonly href: string;
}

const counted = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`);

export function HomeProblems() {
  const files = summary.value;
  const webhooks = useAnswer<WebhooksAnswer>(WEBHOOKS_PATH).data?.data ?? [];
  const unconfirmed = webhooks.filter(({ isUnconfirmed }) => isUnconfirmed).length;
  const failed = webhooks.filter(({ isEnabled, deliveries: [last] }) => isEnabled && last && hasFailed(last));
  const invalid = files?.problems.length ?? 0;
  const conflicts = files?.conflicts.length ?? 0;
  const problems: readonly (Problem | false)[] = [
    invalid > 0 && {
      text: counted(invalid, "A content file is not valid", "content files are not valid"),
      href: hrefTo("changes"),
    },
    conflicts > 0 && {
      text: counted(
        conflicts,
        "A document was changed here and in its file",
        "documents were changed here and in their files",
      ),
      href: hrefTo("changes"),
    },
    unconfirmed > 0 && {
      text: counted(
        unconfirmed,
        "A webhook is not called before it is confirmed",
        "webhooks are not called before they are confirmed",
      ),
      href: hrefTo("settings", ["webhooks"]),
    },
    failed.length > 0 && {
      text: counted(failed.length, `The webhook ${failed[0]!.name} failed`, "webhooks failed"),
      href: hrefTo("settings", failed.length === 1 ? ["webhooks", failed[0]!.id] : ["webhooks"]),
    },
  ];
  const shown = problems.filter((problem) => problem !== false);
  if (shown.length === 0) return null;
  return (
    <ul class="home-problems" aria-label="Problems">
      {shown.map(({ text, href }) => (
        <li key={text}>
          <a href={href} class="notice">
            <Icon name="warning" />
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}
