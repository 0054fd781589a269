import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Paths } from "../../config/index.ts";
import type { Company } from "../../records/index.ts";

/** One company in the data folder: a file for people, and lines that other nodes read. */
export interface ShownRecord {
  readonly file: string;
  readonly text: string;
  readonly journal: string;
  /** USV lines of the company, with visible separators. */
  readonly lines: readonly string[];
}

const linesMax = 3;

/** The company with the most data. */
export function chooseRecord(companies: readonly Company[]): Company | undefined {
  const worth = ({ emails, phones, socials, people }: Company) =>
    3 * emails.length + phones.length + Object.keys(socials).length + people.length;
  return [...companies].sort((a, b) => worth(b) - worth(a) || (a.slug < b.slug ? -1 : 1))[0];
}

export async function showRecord(paths: Paths, company: Company): Promise<ShownRecord> {
  const file = join("companies", company.slug, "_index.md");
  const text = await readFile(paths.resolve(file), "utf8");
  const names = await readdir(paths.resolve("wal"), { recursive: true });
  let best: Pick<ShownRecord, "journal" | "lines"> = { journal: "", lines: [] };
  // Each node's writes are in its own journal; show the node that found the company.
  for (const name of names.filter((one) => one.endsWith(".usv")).sort()) {
    const lines = contactLines(await readFile(paths.resolve("wal", name), "utf8"), company);
    const isBetter = worthOf(lines) > worthOf(best.lines);
    if (isBetter) best = { journal: join("wal", name), lines: lines.slice(0, linesMax) };
  }
  return { file, text, ...best };
}

/** A line with the name counts most. */
const worthOf = (lines: readonly string[]) =>
  lines.length + (lines.some((line) => line.includes("␟name␟")) ? 1_000 : 0);

function contactLines(bytes: string, { target }: Company): readonly string[] {
  const lines: string[] = [];
  for (const line of bytes.split("\n")) {
    const [ownTarget, field] = line.split("\u001f").slice(5, 7);
    const isContact = /^(?:name|email\/|phone\/)/.test(field ?? "");
    if (ownTarget === target && isContact) lines.push(visible(line));
  }
  return lines;
}

/**
 * Replaces U+001F and similar characters by visible ones, and shortens the random ids of node and
 * session.
 */
function visible(line: string): string {
  const [stamp = "", node = "", session = "", ...rest] = line.split("\u001f");
  const units = [stamp, `${node.slice(0, 4)}…`, `${session.slice(0, 4)}…`, ...rest];
  return units.join("␟").replace("\u001e", "␞");
}
