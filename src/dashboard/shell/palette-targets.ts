import { api } from "../data/api.ts";
import { may } from "../data/session.ts";
import { hostHref, tasksHref } from "../data/task-query.ts";
import type { IconName } from "../parts/icon-names.ts";

/** Where the palette leads: a page, a thing, or the form of a command. */
export interface Goal {
  readonly text: string;
  readonly hint: string;
  readonly icon: IconName;
  readonly href: string;
}

export const shownMax = 8;

/** Forms that ask before they do anything. */
export function commandTargets(campaigns: readonly string[]): readonly Goal[] {
  const command = (text: string, href: string, icon: IconName): Goal => ({
    text,
    hint: "command",
    icon,
    href,
  });
  return [
    ...(may("queue:write") ? [command("Add a task", "/queue?add=yes", "plus")] : []),
    ...(may("fleet:command")
      ? [
          command("Pause all nodes", "/nodes?do=pause", "pause"),
          command("Resume all nodes", "/nodes?do=resume", "play"),
          command("Scale nodes", "/nodes?do=scale", "settings"),
          command("Drain all nodes", "/nodes?do=drain", "pause"),
        ]
      : []),
    ...(may("campaigns:write")
      ? campaigns.map((name) =>
          command(`Run ${name}`, `/campaigns/${encodeURIComponent(name)}?run=yes`, "play"),
        )
      : []),
  ];
}

/** Companies, jobs and hosts that match the words, and the task with that number. */
export async function searchTargets(words: string, signal: AbortSignal): Promise<readonly Goal[]> {
  // Names are sorted, so names with this prefix come directly after the cursor.
  const names = { limit: shownMax, after: words.slice(0, -1) || "!" };
  const found = await Promise.all([
    may("queue:read") && /^\d{1,15}$/.test(words) ? taskTarget(Number(words), signal) : [],
    may("companies:read") ? companyTargets(words, signal) : [],
    may("queue:read")
      ? api.get("/api/queue/gates", { query: names, signal }).then(
          ({ rows }) =>
          rows
            .filter(({ name }) => name.startsWith(words))
            .map(({ name }): Goal => ({ text: name, hint: "host", icon: "globe", href: hostHref(name) })), // prettier-ignore
        )
      : [],
    may("queue:read")
      ? api.get("/api/queue/jobs", { query: names, signal }).then(
          ({ rows }) =>
          rows
            .filter(({ name }) => name.startsWith(words))
            .map(({ name }): Goal => ({ text: name, hint: "job", icon: "list-todo", href: tasksHref({ job: name }) })), // prettier-ignore
        )
      : [],
  ]);
  return found.flat();
}

async function companyTargets(words: string, signal: AbortSignal): Promise<readonly Goal[]> {
  const { rows } = await api.get("/api/companies", { query: { words, limit: shownMax }, signal });
  return rows.map(({ name, slug, texts }) => ({
    text: name,
    hint: texts["city"] ?? "company",
    icon: "building-2",
    href: `/companies?open=${encodeURIComponent(slug)}`,
  }));
}

async function taskTarget(id: number, signal: AbortSignal): Promise<readonly Goal[]> {
  try {
    const { kind, state } = await api.get("/api/queue/tasks/{id}", { params: { id }, signal });
    return [{ text: `Task ${id}`, hint: `${kind}, ${state}`, icon: "list-todo", href: `/queue/tasks?open=${id}` }]; // prettier-ignore
  } catch {
    return []; // there is no such task
  }
}
