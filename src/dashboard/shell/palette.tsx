import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { navigate } from "../data/router.ts";
import type { IconName } from "../parts/icon-names.ts";
import { Icon } from "../parts/icon.tsx";
import { Text } from "../parts/text.tsx";
import { isPaletteOpen } from "./keys.ts";
import { screens } from "./screens.tsx";

interface Target {
  readonly text: string;
  readonly hint: string;
  readonly icon: IconName;
  readonly href: string;
}

const companiesMax = 8;

/** Goes to a page, a campaign or a company by typing. */
export function Palette() {
  const words = useSignal("");
  const chosen = useSignal(0);
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current!.showModal(), []);
  const campaigns = useResource("campaigns", (signal) => api.get("/api/campaigns", { signal }));
  const companies = useResource(
    words.value,
    async (signal) =>
    words.value.trim() === ""
      ? { rows: [] }
      : await api.get("/api/companies", { query: { words: words.value, limit: companiesMax }, signal }), // prettier-ignore
  );
  const isMatch = (text: string) => text.toLowerCase().includes(words.value.trim().toLowerCase());
  const targets: readonly Target[] = [
    ...screens
      .filter(({ title }) => isMatch(title))
      .map(({ path, title, icon }) => ({ text: title, hint: "page", icon, href: `/${path}` })),
    ...(campaigns.data?.rows ?? [])
      .filter(({ campaign }) => isMatch(campaign))
      .slice(0, companiesMax)
      .map(({ campaign }) => ({ text: campaign, hint: "campaign", icon: "layers" as const, href: `/campaigns/${encodeURIComponent(campaign)}` })), // prettier-ignore
    ...(companies.data?.rows ?? []).map(({ name, slug, texts }) => ({
      text: name,
      hint: texts["city"] ?? "company",
      icon: "building-2" as const,
      href: `/companies?open=${encodeURIComponent(slug)}`,
    })),
  ];
  const index = Math.min(chosen.value, targets.length - 1);
  const close = () => (isPaletteOpen.value = false);
  const go = (target: Target | undefined) => {
    if (!target) return;
    close();
    navigate(target.href);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") chosen.value = Math.min(index + 1, targets.length - 1);
    else if (event.key === "ArrowUp") chosen.value = Math.max(index - 1, 0);
    else if (event.key === "Enter") go(targets[index]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={element}
      class="dialog palette"
      aria-label="Go to"
      onClose={close}
      onClick={(event) => event.target === element.current && close()}
    >
      <input
        type="text"
        autoFocus
        placeholder="Go to a page, a campaign or a company"
        role="combobox"
        aria-label="Go to"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${index}`}
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={onKey}
      />
      <ul id="palette-list" role="listbox" aria-label="Matches">
        {targets.map((target, at) => (
          <li
            key={target.href}
            id={`palette-${at}`}
            role="option"
            aria-selected={at === index}
            onClick={() => go(target)}
          >
            <Icon name={target.icon} /> <Text value={target.text} max={80} />
            <small>
              <Text value={target.hint} max={40} />
            </small>
          </li>
        ))}
      </ul>
      {targets.length === 0 && <div class="state">Nothing matches.</div>}
    </dialog>
  );
}
