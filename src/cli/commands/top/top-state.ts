import type { Key } from "./keys.ts";

export const viewNames = ["queue", "waiting", "workers", "gates", "log"] as const;
export type ViewName = (typeof viewNames)[number];

/** What the user has chosen with keys. */
export interface TopState {
  readonly view: ViewName;
  /** Only rows that contain this text are shown. It stays when the view changes. */
  readonly filter: string;
  readonly isTyping: boolean;
  readonly isPaused: boolean;
  readonly hasOnlyFaults: boolean;
  /** Undefined: the default order of the view. */
  readonly sortColumn: number | undefined;
  readonly isReversed: boolean;
  readonly selected: number;
  readonly shown: "list" | "detail" | "help";
  readonly isEnded: boolean;
}

export const firstState: TopState = {
  view: "queue",
  filter: "",
  isTyping: false,
  isPaused: false,
  hasOnlyFaults: false,
  sortColumn: undefined,
  isReversed: false,
  selected: 0,
  shown: "list",
  isEnded: false,
};

/** The numbers of rows and columns shown. */
export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

const filterMax = 100;

/** The state after a key. Unknown keys change nothing. */
export function press(state: TopState, key: Key, { rows, columns }: Extent): TopState {
  if (key === "ctrl-c") return { ...state, isEnded: true };
  if (state.isTyping) return type(state, key);
  if (key === "q") return { ...state, isEnded: true };
  if (state.shown === "help") return { ...state, shown: "list" };
  const viewAt = viewNames.indexOf(state.view);
  const move = (by: number): TopState => ({
    ...state,
    selected: Math.max(0, Math.min(rows - 1, Math.min(state.selected, rows - 1) + by)),
  });
  const sortBy = (by: number): TopState => {
    if (columns === 0) return state;
    const next = state.sortColumn === undefined ? (by > 0 ? 0 : columns - 1) : state.sortColumn + by; // prettier-ignore
    return { ...state, sortColumn: next < 0 || next >= columns ? undefined : next, selected: 0 };
  };
  switch (key) {
    case "?":
      return { ...state, shown: "help" };
    case "esc":
      return state.shown === "detail" ? { ...state, shown: "list" } : { ...state, filter: "", selected: 0 }; // prettier-ignore
    case "enter":
      return { ...state, shown: state.shown === "list" && rows > 0 ? "detail" : "list" };
    case "/":
      return { ...state, isTyping: true, shown: "list" };
    case " ":
      return { ...state, isPaused: !state.isPaused };
    case "f":
      return { ...state, hasOnlyFaults: !state.hasOnlyFaults, selected: 0 };
    case "<":
      return sortBy(-1);
    case ">":
      return sortBy(1);
    case "r":
      return { ...state, isReversed: !state.isReversed };
    case "l":
      return toView(state, "log");
    case "tab":
      return toView(state, viewNames[(viewAt + 1) % viewNames.length]!);
    case "back-tab":
      return toView(state, viewNames[(viewAt + viewNames.length - 1) % viewNames.length]!);
    case "down":
    case "j":
      return move(1);
    case "up":
    case "k":
      return move(-1);
    default: {
      const chosen = /^[1-9]$/.test(key) ? viewNames[Number(key) - 1] : undefined;
      return chosen ? toView(state, chosen) : state;
    }
  }
}

function toView(state: TopState, view: ViewName): TopState {
  if (view === state.view) return { ...state, shown: "list" };
  return { ...state, view, shown: "list", selected: 0, sortColumn: undefined, isReversed: false };
}

function type(state: TopState, key: Key): TopState {
  const { filter } = state;
  if (key === "enter") return { ...state, isTyping: false };
  if (key === "esc") return { ...state, isTyping: false, filter: "", selected: 0 };
  if (key === "backspace") return { ...state, filter: filter.replace(/.$/u, ""), selected: 0 }; // prettier-ignore
  if (!/^.$/u.test(key) || filter.length >= filterMax) return state;
  return { ...state, filter: filter + key, selected: 0 };
}
