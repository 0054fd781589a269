import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Paths } from "../../config/index.ts";
import type { Company } from "../../records/index.ts";

/** One company as the data folder has it: a file for people, and lines that other nodes read. */
export interface ShownRecord {
  readonly file: string;
  readonly text: string;
  readonly journal: string;
  /** USV lines of the company, with marks that can be seen. */
  readonly lines: readonly string[];
}

const linesMax = 3;

/** The one with the most to see. */
export function chooseRecord(companies: readonly Company[]): Company | undefined {
  const worth = ({ emails, phones, socials, people }: Company) =>
    3 * emails.length + phones.length + Object.keys(socials).length + people.length;
  return [...companies].sort((a, b) => worth(b) - worth(a) || (a.slug < b.slug ? -1 : 1))[0];
}

export async function showRecord(paths: Paths, company: Company): Promise<ShownRecord> {
  const file = join("companies", company.slug, "_index.md");
  const text = await readFile(paths.resolve(file), "utf8");
  const [journal = ""] = (await readdir(paths.resolve("wal"), { recursive: true }))
    .filter((name) => name.endsWith(".usv"))
    .sort();
  const lines: string[] = [];
  const bytes = await readFile(paths.resolve("wal", journal), "utf8");
  for (const line of bytes.split("\n")) {
    const [target, field] = line.split("\u001f").slice(5, 7);
    const isContact = /^(?:name|email\/|phone\/)/.test(field ?? "");
    if (target === company.target && isContact) lines.push(visible(line));
  }
  return { file, text, journal: join("wal", journal), lines: lines.slice(0, linesMax) };
}

/**
 * U+001F and its like are made to part values, not to be looked at. Node and session are random and
 * long: their beginning will do here.
 */
function visible(line: string): string {
  const [stamp = "", node = "", session = "", ...rest] = line.split("\u001f");
  const units = [stamp, `${node.slice(0, 4)}…`, `${session.slice(0, 4)}…`, ...rest];
  return units.join("␟").replace("\u001e", "␞");
}
