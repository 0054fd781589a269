import { signal } from "@preact/signals";
import { navigate } from "../data/router.ts";
import { applyTheme, theme, themes } from "../data/theme.ts";
import { screens } from "./screens.tsx";

export const isPaletteOpen = signal(false);
export const isHelpOpen = signal(false);

const chordMs = 1_200;

/** The keys that work on every screen. Returns a function that removes them. */
export function listenToKeys(): () => void {
  let chordAtMs = -Infinity;
  const onKey = (event: KeyboardEvent) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
      return;
    }
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select"); // prettier-ignore
    if (isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
    const isChord = performance.now() - chordAtMs < chordMs;
    chordAtMs = -Infinity;
    if (isChord) {
      const screen = screens.find(({ key }) => key === event.key);
      if (screen) navigate(`/${screen.path}`);
      return;
    }
    if (event.key === "g") chordAtMs = performance.now();
    else if (event.key === "?") isHelpOpen.value = true;
    else if (event.key === "t")
      applyTheme(themes[(themes.indexOf(theme.value) + 1) % themes.length]!);
    else if (event.key === "/") {
      const search = document.querySelector<HTMLInputElement>(
        "main :is(input[type=search], input[data-search])",
      );
      if (!search) return;
      event.preventDefault();
      search.focus();
      search.select();
    }
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
