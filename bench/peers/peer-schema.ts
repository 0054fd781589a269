import { basename } from "node:path";
import pg from "pg";
import { schemaPrefix } from "../frame/postgres.ts";
import type { SideContext } from "../frame/side.ts";
import { inBatches, pageUrl } from "../pages.ts";

/** Where the server is, and how much is put into it. */
export interface PostgresPeerInput {
  readonly url: string;
  readonly jobs: number;
  /** How many go into one call. */
  readonly batch: number;
}

/** One schema for each run, shared by its processes: its scratch folder names it. */
export const schemaOf = ({ folder }: SideContext): string =>
  schemaPrefix + basename(folder).toLowerCase().replaceAll(/\W/g, "_");

export async function countRows(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count ${sql}`);
  await client.end();
  return rows[0]!.count;
}

export const urlBatches = ({ jobs, batch }: PostgresPeerInput) =>
  inBatches(
    Array.from({ length: jobs }, (_, index) => ({ url: pageUrl(index) })),
    batch,
  );
