import { isPublished } from "../data/published.ts";
import { lazyScreen } from "../parts/lazy-screen.tsx";
import type { IconName } from "../parts/icon-names.ts";
import { Overview } from "../overview/overview.tsx";

export interface Screen {
  /** The first part of the path. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** The key to press after `g`. */
  readonly key: string;
  readonly View: (props: object) => preact.JSX.Element;
  /** A published site has no queue, nodes or settings. */
  readonly isLiveOnly?: true;
}

/** In the order of the navigation. All but the first are loaded when they are opened. */
const allScreens: readonly Screen[] = [
  { path: "", title: "Overview", icon: "gauge", key: "o", View: Overview },
  {
    path: "campaigns",
    title: "Campaigns",
    icon: "layers",
    key: "c",
    View: lazyScreen(async () => (await import("../campaigns/campaigns.tsx")).Campaigns),
  },
  {
    path: "map",
    title: "Map",
    icon: "map",
    key: "m",
    View: lazyScreen(async () => (await import("../map/map-screen.tsx")).MapScreen),
  },
  {
    path: "companies",
    title: "Companies",
    icon: "building-2",
    key: "l",
    View: lazyScreen(async () => (await import("../companies/companies.tsx")).Companies),
  },
  {
    path: "queue",
    title: "Queue",
    icon: "list-todo",
    key: "q",
    isLiveOnly: true,
    View: lazyScreen(async () => (await import("../queue/queue.tsx")).Queue),
  },
  {
    path: "hosts",
    title: "Hosts",
    icon: "globe",
    key: "h",
    isLiveOnly: true,
    View: lazyScreen(async () => (await import("../hosts/hosts.tsx")).Hosts),
  },
  {
    path: "charts",
    title: "Charts",
    icon: "chart-line",
    key: "t",
    isLiveOnly: true,
    View: lazyScreen(async () => (await import("../charts/charts.tsx")).Charts),
  },
  {
    path: "nodes",
    title: "Nodes",
    icon: "server",
    key: "n",
    isLiveOnly: true,
    View: lazyScreen(async () => (await import("../nodes/nodes.tsx")).Nodes),
  },
  {
    path: "activity",
    title: "Activity",
    icon: "history",
    key: "a",
    isLiveOnly: true,
    View: lazyScreen(async () => (await import("../activity/activity.tsx")).Activity),
  },
  {
    path: "settings",
    title: "Settings",
    icon: "settings",
    key: "s",
    isLiveOnly: true,
    View: lazyScreen(async () => (await import("../settings/settings.tsx")).Settings),
  },
];

export const screens = allScreens.filter(({ isLiveOnly }) => !isPublished || !isLiveOnly);
