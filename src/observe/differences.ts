import type { Trouble } from "./alert-book.ts";
import type { Heartbeat } from "./heartbeat.ts";

const compared = ["queue", "version", "config"] as const;
const words: Readonly<Record<(typeof compared)[number], string>> = {
  queue: "works on another queue",
  version: "runs another version",
  config: "has other settings",
};

/**
 * Nodes whose backend, version or configuration differs from that of most nodes. If two values are
 * equally frequent, the first one in order of node names counts. A fleet of one never differs.
 */
export function differencesOf(heartbeats: readonly Heartbeat[]): readonly Trouble[] {
  const sorted = [...heartbeats].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const usual = Object.fromEntries(compared.map((key) => [key, most(sorted.map((b) => b[key]))]));
  return sorted.flatMap((heartbeat) => {
    const other = compared.filter((key) => heartbeat[key] !== usual[key]);
    if (other.length === 0) return [];
    const what = other
      .map((key) => `${words[key]} (${heartbeat[key]}, not ${usual[key]})`)
      .join(", ");
    return [
      { name: "differs" as const, of: "node" as const, part: nameOf(heartbeat), forMs: 0, what },
    ];
  });
}

/** A machine may run `forager work` several times. */
const nameOf = ({ node, pid }: Heartbeat) => `${node}-${pid}`;

function most(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
