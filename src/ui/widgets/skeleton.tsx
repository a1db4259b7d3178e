/** Lines in the place of what has not come yet. */
const LINES = 4;

export const SkeletonLines = () => (
  <div aria-hidden="true">
    {Array.from({ length: LINES }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
      <div key={index} class="skeleton" />
    ))}
  </div>
);
