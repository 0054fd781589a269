import { createHash } from "node:crypto";
import type pg from "pg";
import type { NamesMode } from "./names-mode.ts";
import { isStatementLost } from "./postgres-error.ts";

/**
 * The only place that decides whether a statement is sent by name, so that the session keeps it
 * parsed and planned. Behind a transaction pooler the next statement may reach another session,
 * which does not know the name or already has it. Then names are given up for the rest of the
 * process.
 */
export interface StatementNames {
  /** Runs `text` on this session, by name if that helps and works. */
  run(client: pg.ClientBase, text: string, values: readonly unknown[]): Promise<pg.QueryResult>;
  /**
   * True if a statement failed only because of its name: nothing was done, and the next attempt
   * uses no name.
   */
  giveUpAfter(error: unknown): boolean;
}

export function createStatementNames(mode: NamesMode): StatementNames {
  let isUsed = mode === "auto";
  const names = new Map<string, string>();
  /** By session and name: false until the server has answered the statement once. */
  const known = new WeakMap<pg.ClientBase, Map<string, boolean>>();

  // Behind a pooler, processes share sessions, so the same name must mean the same statement: use a
  // hash.
  function nameOf(text: string): string {
    let name = names.get(text);
    if (name === undefined) {
      name = createHash("sha256").update(text).digest("base64url").slice(0, 40);
      names.set(text, name);
    }
    return name;
  }

  return {
    async run(client, text, values) {
      const name = nameOf(text);
      let answered = known.get(client);
      if (!answered) known.set(client, (answered = new Map()));
      // If it is sent again before the first answer, the driver would prepare it twice.
      const isNamed = isUsed && answered.get(name) !== false;
      if (!isNamed) return client.query({ text, values: [...values] });
      if (!answered.has(name)) answered.set(name, false);
      try {
        const result = await client.query({ name, text, values: [...values] });
        answered.set(name, true);
        return result;
      } catch (error) {
        if (answered.get(name) === false) answered.delete(name);
        throw error;
      }
    },
    giveUpAfter(error) {
      if (mode === "never" || !isStatementLost(error)) return false;
      isUsed = false;
      return true;
    },
  };
}
