/** The sign in the navigation: how many documents are not committed, or that something needs attention. */
import { useEffect } from "preact/hooks";
import { Icon } from "../widgets/icon.tsx";
import type { ChangesSummary } from "./answers.ts";
import { summary, useFollowed } from "./followed.ts";

export function ChangesSign() {
  const { data } = useFollowed<ChangesSummary>("/content-changes/summary");
  useEffect(() => {
    summary.value = data;
  }, [data]);
  if (!data) return null;
  const { problems, conflicts, uncommitted = 0 } = data;
  if (problems.length + conflicts.length > 0)
    return (
      <span class="nav-sign nav-sign-warning">
        <Icon name="warning" />
        <span class="visually-hidden">{problems.length > 0 ? "files are not valid" : "there are conflicts"}</span>
      </span>
    );
  return uncommitted > 0 ? (
    <span class="nav-sign">
      {uncommitted}
      <span class="visually-hidden"> not committed</span>
    </span>
  ) : null;
}
