/** The navigation: a sidebar on wide screens, a popover on narrow ones. */
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type ContentType, shownTypes, start } from "../model.ts";
import type { PagePath } from "../page-paths.ts";
import { pages } from "../pages.ts";
import { hrefTo, route } from "../router.ts";
import { signOut } from "../session.ts";
import { Icon, type IconName } from "../widgets/icon.tsx";
import { Logo } from "../widgets/logo.tsx";
import { NameFilter } from "../widgets/name-filter.tsx";
import { showProblem } from "../widgets/toasts.tsx";

interface LinkProps {
  readonly href: string;
  readonly icon?: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly sign?: ComponentType | undefined;
}

const NavigationLink = ({ href, icon, label, isCurrent, sign: Sign }: LinkProps) => (
  <li>
    <a href={href} class="nav-link" title={label} aria-current={isCurrent ? "page" : undefined}>
      {icon ? <Icon name={icon} /> : null}
      <span class="nav-label">{label}</span>
      {Sign ? <Sign /> : null}
    </a>
  </li>
);

function TypeLinks({ title, types }: { readonly title: string; readonly types: readonly ContentType[] }) {
  if (types.length === 0) return null;
  const { page, segments } = route.value;
  return (
    <section class="nav-group">
      <h2 class="nav-title">{title}</h2>
      <ul>
        {types.map(({ uid, info }) => (
          <NavigationLink
            key={uid}
            href={hrefTo("content", [uid])}
            label={info.displayName}
            isCurrent={page === "content" && segments[0] === uid}
          />
        ))}
      </ul>
    </section>
  );
}

function PageLinks() {
  const { page } = route.value;
  const others = Object.entries(pages).filter(([path, { isListed }]) => path !== "content" && (isListed?.() ?? true));
  if (others.length === 0) return null;
  return (
    <section class="nav-group">
      <h2 class="nav-title">Project</h2>
      <ul>
        {others.map(([path, { label, icon, sign }]) => (
          <NavigationLink
            key={path}
            href={hrefTo(path as PagePath)}
            icon={icon}
            label={label}
            isCurrent={page === path}
            sign={sign}
          />
        ))}
      </ul>
    </section>
  );
}

/** With more types than this, they are found by name as well. */
const MANY_TYPES = 20;

function Groups() {
  const [text, setText] = useState("");
  const all = shownTypes.value;
  const types = all.filter(({ info }) => info.displayName.toLowerCase().includes(text.toLowerCase()));
  const ofKind = (kind: ContentType["kind"]) => types.filter((type) => type.kind === kind);
  return (
    <>
      {all.length > MANY_TYPES ? <NameFilter label="Find a type" value={text} onChange={setText} /> : null}
      <div class="nav-types">
        <TypeLinks title="Collection types" types={ofKind("collectionType")} />
        <TypeLinks title="Single types" types={ofKind("singleType")} />
        {types.length < all.length && types.length === 0 ? <p class="nav-title">No type has this name.</p> : null}
      </div>
      <PageLinks />
      <div class="nav-foot">
        <span class="nav-version">Galley {start.value?.version}</span>
        <button type="button" class="button-link" onClick={() => signOut().catch(showProblem)}>
          Sign out
        </button>
      </div>
    </>
  );
}

export function Navigation() {
  const panel = useRef<HTMLElement>(null);
  const current = route.value;
  // a link was followed
  useEffect(() => {
    if (panel.current?.matches(":popover-open")) panel.current.hidePopover();
    if (shownTypes.value.length > MANY_TYPES)
      panel.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <>
      <header class="top-bar">
        <button type="button" class="button-icon" popovertarget="navigation" aria-label="Navigation">
          <Icon name="menu" />
        </button>
        <strong>{start.value?.project}</strong>
      </header>
      <nav id="navigation" ref={panel} class="nav" popover="auto" aria-label="Content and project">
        <a class="nav-project" href="/admin">
          <Logo size={20} />
          <strong>{start.value?.project}</strong>
        </a>
        <Groups />
      </nav>
    </>
  );
}
