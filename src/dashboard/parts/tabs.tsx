import { place, withQuery } from "../data/router.ts";

export type Tab = readonly [key: string, text: string];

/** The chosen tab of a page; the first one if the address names none of them. */
export const chosenTab = (tabs: readonly Tab[], parameter = "tab"): string =>
  (tabs.find(([key]) => key === place.value.query.get(parameter)) ?? tabs[0])?.[0] ?? "";

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** Parameters of the address that belong to one tab only. */
  readonly resets?: readonly string[];
  readonly parameter?: string;
}

/** Tabs of a page. The chosen tab is in the address. */
export function Tabs({ label, tabs, resets = [], parameter = "tab" }: TabsProps) {
  const chosen = chosenTab(tabs, parameter);
  const reset = Object.fromEntries(resets.map((key) => [key, undefined]));
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([key, text], index) => (
        <a
          key={key}
          href={withQuery({ ...reset, [parameter]: index === 0 ? undefined : key })}
          aria-current={key === chosen ? "page" : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}
