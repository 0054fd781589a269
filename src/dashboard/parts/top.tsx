import { signal } from "@preact/signals";
import { formatDuration, tick, timeOf } from "../data/format.ts";
import { lastHeardMs, liveState, setPaused } from "../data/live.ts";
import { isPublished } from "../data/published.ts";
import { session } from "../data/session.ts";
import { Icon } from "./icon.tsx";
import { Ago } from "./text.tsx";
import { useSite } from "../published/use-site.ts";

/** On a small screen the navigation is hidden until the user opens it. */
export const isMenuOpen = signal(false);

interface TopProps {
  readonly title: string;
  readonly children?: preact.ComponentChildren;
}

/** The first line of every screen: title, environment, how current the page is, and its actions. */
export function Top({ title, children }: TopProps) {
  return (
    <div class="top">
      <button class="btn menu-button" aria-label="Menu" onClick={() => (isMenuOpen.value = true)}>
        <Icon name="menu" />
      </button>
      <h1>
        <bdi>{title}</bdi>
      </h1>
      <Environment />
      {isPublished ? <PublishedAt /> : <Live />}
      <span class="sp" />
      {children}
    </div>
  );
}

function Environment() {
  const name = session.value?.environment;
  if (!name) return null;
  return <span class={`badge ${/^prod/i.test(name) ? "prod" : ""}`}>{name}</span>;
}

function Live() {
  void tick.value;
  const state = liveState.value;
  const ageMs = Date.now() - lastHeardMs.value;
  const texts = {
    connecting: "connecting",
    live: `live, ${ageMs < 2_000 ? "now" : `${formatDuration(ageMs)} ago`}`,
    offline: `offline since ${formatDuration(ageMs)}`,
    paused: "paused",
  };
  const isPaused = state === "paused";
  return (
    <button
      class="live"
      data-state={state}
      title={isPaused ? "Update this page again" : "Stop updating this page"}
      onClick={() => setPaused(!isPaused)}
    >
      {texts[state]}
    </button>
  );
}

/** Shown where a server's page says that it is live. */
function PublishedAt() {
  const site = useSite();
  return (
    <span class="dim published-at">
      {site && (
        <>
          published <Ago atMs={timeOf(site.at)} />
        </>
      )}
    </span>
  );
}
