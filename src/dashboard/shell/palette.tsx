import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../data/api.ts";
import { useLive, useResource } from "../data/resource.ts";
import { navigate } from "../data/router.ts";
import { useModal } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Text } from "../parts/text.tsx";

import { isPaletteOpen } from "./keys.ts";
import { commandTargets, searchTargets, shownMax, type Goal } from "./palette-targets.ts";
import { screens } from "./screens.tsx";

/** While somebody types fast, the server is asked once. */
const typingMs = 150;

/** Goes to a page, a campaign, a company, a task, a job, a host or a node by typing. */
export function Palette() {
  const words = useSignal("");
  const chosen = useSignal(0);
  const element = useRef<HTMLDialogElement>(null);
  useModal(element);
  const campaigns = useResource("campaigns", (signal) => api.get("/api/campaigns", { signal }));
  const asked = useSignal("");
  useEffect(() => {
    const timer = setTimeout(() => (asked.value = words.value.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [words.value]);
  const found = useResource(asked.value, (signal) => searchTargets(asked.value, signal), {
    isIdle: asked.value === "",
  });
  const nodes = useLive("status", (signal) => api.get("/api/status", { query: { cluster: true }, signal })); // prettier-ignore
  const isEmpty = words.value.trim() === "";
  const isMatch = (text: string) => text.toLowerCase().includes(words.value.trim().toLowerCase());
  const targets: readonly Goal[] = [
    ...screens
      .filter(({ title }) => isMatch(title))
      .map(({ path, title, icon }) => ({ text: title, hint: "page", icon, href: `/${path}` })),
    ...(campaigns.data?.rows ?? [])
      .filter(({ campaign }) => isMatch(campaign))
      .slice(0, shownMax)
      .map(({ campaign }) => ({ text: campaign, hint: "campaign", icon: "layers" as const, href: `/campaigns/${encodeURIComponent(campaign)}` })), // prettier-ignore
    ...(isEmpty ? [] : (nodes.data?.nodes ?? []))
      .filter((one) => isMatch((one.label || one.node)) || isMatch(one.node))
      .slice(0, shownMax)
      .map((one) => ({ text: (one.label || one.node), hint: "node", icon: "server" as const, href: `/nodes?open=${encodeURIComponent(one.node)}` })), // prettier-ignore
    ...(isEmpty ? [] : commandTargets((campaigns.data?.rows ?? []).map(({ campaign }) => campaign)))
      .filter(({ text }) => isMatch(text))
      .slice(0, shownMax),
    ...(isEmpty ? [] : (found.data ?? [])),
  ];
  const index = Math.min(chosen.value, targets.length - 1);
  const close = () => (isPaletteOpen.value = false);
  const go = (target: Goal | undefined) => {
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
        placeholder="Page, company, task, host, node or command"
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
