import type { IconName } from "./icon-names.ts";

export function Icon({ name, label }: { readonly name: IconName; readonly label?: string }) {
  return (
    <svg class="icon" {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": true })}>
      <use href={`#icon-${name}`} />
    </svg>
  );
}
