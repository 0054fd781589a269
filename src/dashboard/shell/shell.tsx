import { useEffect } from "preact/hooks";
import { pathParts, place } from "../data/router.ts";
import { isPublished } from "../data/published.ts";
import { isStranger } from "../data/resource.ts";
import { session } from "../data/session.ts";
import { applyTheme, theme, themes } from "../data/theme.ts";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/state-view.tsx";
import { Toasts } from "../parts/toast.tsx";
import { SignIn, signOut, Welcome } from "../sign-in/sign-in.tsx";
import { isMenuOpen } from "../parts/top.tsx";
import { Help } from "./help.tsx";
import { isHelpOpen, isPaletteOpen, listenToKeys } from "./keys.ts";
import { Palette } from "./palette.tsx";
import { screens } from "./screens.tsx";

export function Shell() {
  useEffect(listenToKeys, []);
  useEffect(() => void (isMenuOpen.value = false), [place.value]);
  const [first = ""] = pathParts.value;
  const screen = screens.find(({ path }) => path === first);
  useEffect(() => {
    document.title = screen && screen.path !== "" ? `${screen.title} · Forager` : "Forager";
  }, [screen]);
  if (first === "welcome") return <Welcome />;
  if (first === "sign-in" || isStranger.value) return <SignIn />;
  return (
    <div class="app">
      <a class="btn skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <Side current={first} />
      <button
        class="scrim"
        aria-label="Close the menu"
        onClick={() => (isMenuOpen.value = false)}
      />
      <main id="main" tabIndex={-1}>
        {screen ? (
          <screen.View />
        ) : (
          <Notice icon="search" title="There is no such page">
            <p>
              <a class="accent" href="/">
                Go to the overview
              </a>{" "}
              or press <kbd>⌘K</kbd>.
            </p>
          </Notice>
        )}
      </main>
      {isPaletteOpen.value && <Palette />}
      {isHelpOpen.value && <Help />}
      <Toasts />
    </div>
  );
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Side({ current }: { readonly current: string }) {
  return (
    <header class="side" data-open={isMenuOpen.value}>
      <a class="brand" href="/">
        <Leaf /> Forager
      </a>
      <nav aria-label="Main">
        {screens.map(({ path, title, icon }) => (
          <a key={path} href={`/${path}`} aria-current={path === current ? "page" : undefined}>
            <Icon name={icon} /> {title}
          </a>
        ))}
      </nav>
      <div class="side-foot">
        <ThemeButton />
        {session.value && !isPublished && (
          <span>
            {session.value.by === "loopback" ? "no sign-in" : `signed in as ${session.value.user}`}
            <br />
            version {session.value.version}
          </span>
        )}
        {session.value?.by === "session" && !isPublished && (
          <button class="link" onClick={() => void signOut()}>
            sign out
          </button>
        )}
        <span>
          <button class="link" onClick={() => (isHelpOpen.value = true)}>
            <kbd>?</kbd> help
          </button>{" "}
          <button class="link" onClick={() => (isPaletteOpen.value = true)}>
            <kbd>⌘K</kbd> go to
          </button>
        </span>
      </div>
    </header>
  );
}

function Leaf() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden>
      <path d="M9 16C3 13 2 7 4 2c6 1 9 5 5 14Z" fill="var(--accent)" />
      <path d="M9 16c5-2 7-6 6-10-4 0-6 3-6 10Z" fill="var(--tile-aging)" />
    </svg>
  );
}

const themeIcons = { system: "monitor", light: "sun", dark: "moon" } as const;

function ThemeButton() {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length]!;
  return (
    <button class="link" onClick={() => applyTheme(next)} title={`Change to ${next}`}>
      <Icon name={themeIcons[theme.value]} />{" "}
      {theme.value === "system" ? "as the system" : theme.value}
    </button>
  );
}
