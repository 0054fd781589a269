import { useLayoutEffect, useRef } from "preact/hooks";
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
  const reset = Object.fromEntries(resets.map((key) => [key, undefined]));
  const hrefOf = (key: string) =>
    withQuery({ ...reset, [parameter]: key === tabs[0]?.[0] ? undefined : key });
  return <TabLinks {...{ label, tabs, hrefOf }} chosen={chosenTab(tabs, parameter)} />;
}

interface TabLinksProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly hrefOf: (key: string) => string;
}

/** Links in a line that scrolls sideways on a small screen, as far as the chosen one. */
export function TabLinks({ label, tabs, chosen, hrefOf }: TabLinksProps) {
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const line = nav.current!;
    const link = line.querySelector("[aria-current]");
    if (!link) return;
    const [outer, inner] = [line.getBoundingClientRect(), link.getBoundingClientRect()];
    line.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  }, [chosen]);
  return (
    <nav class="tabs" aria-label={label} ref={nav}>
      {tabs.map(([key, text]) => (
        <a key={key} href={hrefOf(key)} aria-current={key === chosen ? "page" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
