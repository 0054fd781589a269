import { signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "forager.theme";

function stored(): Theme {
  try {
    const found = localStorage.getItem(key);
    return themes.find((theme) => theme === found) ?? "system";
  } catch {
    return "system"; // storage is forbidden
  }
}

export const theme = signal<Theme>(stored());

export function applyTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = next;
  try {
    localStorage.setItem(key, next);
  } catch {
    // Storage is forbidden or full: the choice lasts until the page is closed.
  }
}
