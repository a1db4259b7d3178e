/** Instead of what is not there, with links to what is. */
import { PAGE_BASE } from "../page-paths.ts";
import { hrefTo } from "../router.ts";

interface NotFoundProps {
  readonly what?: string;
  /** The likeliest first. */
  readonly leads?: readonly (readonly [label: string, href: string])[];
}

export function NotFound({ what = "This page does not exist.", leads }: NotFoundProps) {
  const shown = leads ?? [
    ["Home", PAGE_BASE],
    ["Content-types", hrefTo("types")],
    ["Media library", hrefTo("media")],
  ];
  return (
    <div class="empty" role="alert">
      <h1>Not found</h1>
      <p>{what}</p>
      <p class="buttons empty-actions">
        {shown.map(([label, href], index) => (
          <a key={href} class={index === 0 ? "button button-primary" : "button"} href={href}>
            {label}
          </a>
        ))}
      </p>
    </div>
  );
}
