/** Buttons with a text, and those with a sign, whose name is for those who do not see it. */
import type { ComponentProps } from "preact";
import { Icon, type IconName } from "./icon.tsx";

const classes = {
  plain: "button",
  primary: "button button-primary",
  danger: "button button-danger",
  /** Opens a question, and so is less prominent than a dangerous answer. */
  remove: "button button-danger-text",
  ghost: "button button-ghost",
  small: "button button-small",
  "small-ghost": "button button-small button-ghost",
  link: "button-link",
} as const;

interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: keyof typeof classes;
  readonly icon?: IconName;
  readonly text: string;
}

export const Button = ({ kind = "plain", icon, text, ...props }: ButtonProps) => (
  <button type="button" class={classes[kind]} {...props}>
    {icon ? <Icon name={icon} /> : null}
    {text}
  </button>
);

interface IconButtonProps extends ComponentProps<"button"> {
  readonly icon: IconName;
  readonly label: string;
}

export const IconButton = ({ icon, label, ...props }: IconButtonProps) => (
  <button type="button" class="button-icon" aria-label={label} {...props}>
    <Icon name={icon} />
  </button>
);
