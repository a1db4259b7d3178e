/** The navigation: a sidebar on wide screens, a popover on narrow ones. */
import type { ComponentChild, ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { developerDetails, setDeveloperDetails } from "../developer-details.ts";
import { firstPaint } from "../first-paint.ts";
import { type ContentType, shownTypes, start } from "../model.ts";
import { PAGE_BASE } from "../page-paths.ts";
import { listedPages } from "../pages.ts";
import { hrefTo, route } from "../router.ts";
import { signOut } from "../session.ts";
import { typeSign } from "../type-sign.ts";
import { Button, IconButton } from "../widgets/button.tsx";
import { Check } from "../widgets/check.tsx";
import { Icon, type IconName } from "../widgets/icon.tsx";
import { Logo } from "../widgets/logo.tsx";
import { NameFilter } from "../widgets/name-filter.tsx";
import { showProblem } from "../widgets/toasts.tsx";
import { openPanel } from "./open-panel.ts";
import { favourites } from "./places.ts";

interface LinkProps {
  readonly href: string;
  readonly icon: IconName;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly count?: number | undefined;
  readonly sign?: ComponentType | undefined;
}

/** More documents are not counted. */
const MAX_COUNT = 10_000;

const NavigationLink = ({ href, icon, label, isCurrent, count, sign: Sign }: LinkProps) => (
  <li>
    <a href={href} class="nav-link" title={label} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} />
      <span class="one-line">{label}</span>
      {/* the list says it to everybody */}
      {count === undefined ? null : (
        <span class="hint nav-count" aria-hidden="true">
          {count < MAX_COUNT ? count : "10k+"}
        </span>
      )}
      {Sign ? <Sign /> : null}
    </a>
  </li>
);

interface GroupProps {
  readonly title: string;
  readonly children: readonly ComponentChild[];
}

const LinkGroup = ({ title, children }: GroupProps) =>
  children.length === 0 ? null : (
    <section>
      <h2 class="hint nav-title">{title}</h2>
      <ul>{children}</ul>
    </section>
  );

interface TypeLinksProps {
  readonly title: string;
  readonly types: readonly ContentType[];
  readonly counts: Counts;
}

function TypeLinks({ title, types, counts }: TypeLinksProps) {
  const { page, segments } = route.value;
  return (
    <LinkGroup title={title}>
      {types.map(({ uid, kind, info }) => (
        <NavigationLink
          key={uid}
          href={hrefTo("content", [uid])}
          icon={typeSign({ kind, ...info })}
          count={counts[uid]}
          label={info.displayName}
          isCurrent={page === "content" && segments[0] === uid}
        />
      ))}
    </LinkGroup>
  );
}

function Favourites() {
  return (
    <LinkGroup title="Favourites">
      {favourites.value.map(({ href, name }) => (
        <NavigationLink key={href} href={href} icon="star" label={name} isCurrent={false} />
      ))}
    </LinkGroup>
  );
}

type Counts = Readonly<Record<string, number>>;

/** How many documents there are of each type, once the page is drawn. */
function useCounts(): Counts {
  const [isDrawn, setIsDrawn] = useState(false);
  useEffect(() => void firstPaint().then(() => setIsDrawn(true)), []);
  return useAnswer<{ readonly data: Counts }>(isDrawn ? "/counts" : undefined).data?.data ?? {};
}

function PageLinks() {
  const { page } = route.value;
  return (
    <LinkGroup title="Project">
      {listedPages().map(([path, { label, icon, sign }]) => (
        <NavigationLink
          key={path}
          href={hrefTo(path)}
          icon={icon}
          label={label}
          isCurrent={page === path}
          sign={sign}
        />
      ))}
    </LinkGroup>
  );
}

/** With more types than this, they are found by name as well. */
const MANY_TYPES = 20;

function Groups() {
  const [text, setText] = useState("");
  const counts = useCounts();
  // it has a list of types of its own
  const isBuilder = route.value.page === "types";
  const all = shownTypes.value;
  const types = all.filter(({ info }) => info.displayName.toLowerCase().includes(text.toLowerCase()));
  const ofKind = (kind: ContentType["kind"]) => types.filter((type) => type.kind === kind);
  return (
    <>
      {all.length > MANY_TYPES && !isBuilder ? (
        <NameFilter label="Find a type" value={text} onChange={setText} />
      ) : null}
      <div class="stack nav-types">
        <Favourites />
        {isBuilder ? (
          <ul>
            <NavigationLink href={PAGE_BASE} icon="documents" label="Content" isCurrent={false} />
          </ul>
        ) : (
          <>
            <TypeLinks title="Collection types" types={ofKind("collectionType")} counts={counts} />
            <TypeLinks title="Single types" types={ofKind("singleType")} counts={counts} />
          </>
        )}
        {types.length < all.length && types.length === 0 ? <p class="hint nav-title">No type has this name.</p> : null}
      </div>
      <PageLinks />
      <Check
        class="choice hint nav-details"
        label="Developer details"
        isOn={developerDetails.value}
        onChange={setDeveloperDetails}
      />
      <div class="row hint nav-foot">
        <span>Galley {start.value?.version}</span>
        <Button kind="link" text="Sign out" onClick={() => signOut().catch(showProblem)} />
      </div>
    </>
  );
}

const openPalette = (): void => {
  openPanel.value = "palette";
};

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
        <IconButton icon="menu" label="Navigation" popovertarget="navigation" />
        <strong>{start.value?.project}</strong>
        <IconButton
          icon="search"
          label="Go to…"
          class="button-icon top-search"
          aria-haspopup="dialog"
          onClick={openPalette}
        />
      </header>
      <nav id="navigation" ref={panel} class="nav" popover="auto" aria-label="Content and project">
        <a class="nav-project" href={PAGE_BASE} aria-current={current.page === undefined ? "page" : undefined}>
          <Logo size={20} />
          <strong>{start.value?.project}</strong>
        </a>
        <button
          type="button"
          class="button nav-search"
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K"
          onClick={openPalette}
        >
          <Icon name="search" />
          Go to…
          <span class="key" aria-hidden="true">
            Ctrl K
          </span>
        </button>
        <Groups />
      </nav>
    </>
  );
}
