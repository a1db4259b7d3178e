/** The mark of Galley: a line of type in its tray, as a G. `icon.svg` is the same for the browser's tab. */
export const Logo = ({ size }: { readonly size: number }) => (
  <svg class="logo" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="8" fill="#2f4bb3" />
    <path d="M22.5 9.5h-9a4 4 0 0 0-4 4v5a4 4 0 0 0 4 4h9" fill="none" stroke="#fff" stroke-width="3" />
    <path d="M15 16h7.5v6.5" fill="none" stroke="#9fe0b5" stroke-width="3" />
  </svg>
);
