/** Lines in the place of what has not come yet. */

interface SkeletonLinesProps {
  readonly class?: string;
  readonly count?: number;
}

export const SkeletonLines = ({ count = 4, ...props }: SkeletonLinesProps) => (
  <div {...props} aria-hidden="true">
    {Array.from({ length: count }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
      <div key={index} class="skeleton" />
    ))}
  </div>
);
