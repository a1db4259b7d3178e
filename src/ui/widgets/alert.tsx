/** Why something was not loaded or done, told at once to those who do not see the page. */
interface AlertProps {
  /** Undefined or empty: nothing. */
  readonly text: string | undefined;
  readonly class?: string;
}

export const Alert = ({ text, class: className = "field-problem" }: AlertProps) =>
  text ? (
    <p class={className} role="alert">
      {text}
    </p>
  ) : null;
