import { AppError } from "../../base/app-error.ts";
import type { Random } from "../../base/random.ts";
import { createCsvReader } from "../exchange/csv-reader.ts";
import { columnOf } from "../exchange/import-columns.ts";
import { readKey, readKeyOf, type SuppressionKey, type SuppressionKind } from "./keys.ts";
import { addSuppressed, type SuppressionLedger } from "./suppression.ts";

export interface OptOutImport {
  /** Records of the file, without the header. */
  readonly lines: number;
  readonly added: number;
  /** Already on the list, for example from an import that was interrupted. */
  readonly known: number;
  /** Lines whose opt-out column says no. */
  readonly notOptedOut: number;
  /** Lines without a readable value. */
  readonly faulty: number;
  /** The first of them. */
  readonly problems: readonly { readonly line: number; readonly text: string }[];
  /** The columns that were used, and how. */
  readonly columns: Readonly<Record<string, SuppressionKind | "opted out?">>;
  readonly unused: readonly string[];
  readonly isStopped: boolean;
}

export interface OptOutOptions {
  readonly ledger: SuppressionLedger;
  /** The text of the file, in chunks. */
  readonly text: AsyncIterable<string>;
  readonly source: string;
  readonly reason?: string | undefined;
  /** Two letters, for numbers without a country code. */
  readonly country?: string | undefined;
  /**
   * The kinds to import; default: addresses, numbers and places, and domains if no column has
   * addresses.
   */
  readonly kinds?: readonly SuppressionKind[] | undefined;
  readonly isDryRun: boolean;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly onLines?: (count: number) => void;
}

/** The number of keys that are looked up at once. */
const batchKeys = 20_000;
const problemsMax = 20;

/**
 * Adds the people of a CRM's opt-out file to the list. Columns are recognised by their header. Each
 * batch is stored before the next is read, and listed values count as known, so the import can be
 * repeated.
 */
export async function importOptOuts(options: OptOutOptions): Promise<OptOutImport> {
  const { ledger, source, reason, random, signal, isDryRun, onLines } = options;
  const count = { lines: 0, added: 0, known: 0, notOptedOut: 0, faulty: 0 };
  const problems: { line: number; text: string }[] = [];
  let plan: OptOutColumns | undefined;
  let waiting = new Set<SuppressionKey>();
  const flush = async () => {
    const keys = [...waiting];
    waiting = new Set();
    if (isDryRun) {
      const listed = new Set(await ledger.suppressed(keys));
      count.known += keys.filter((key) => listed.has(key)).length;
      count.added += keys.filter((key) => !listed.has(key)).length;
    } else {
      const why = reason === undefined ? {} : { reason };
      const { added, known } = await addSuppressed(ledger, { keys, source, random, ...why });
      count.added += added;
      count.known += known;
    }
    onLines?.(count.lines);
  };
  const take = (line: number, cells: readonly string[]) => {
    count.lines += 1;
    if (plan!.saysNo(cells)) {
      count.notOptedOut += 1;
      return;
    }
    const keys = plan!.keysOf(cells);
    for (const key of keys) waiting.add(key);
    if (keys.length > 0) return;
    count.faulty += 1;
    const shown = cells.join(", ").slice(0, 80);
    if (problems.length < problemsMax)
      problems.push({ line, text: `no value found in '${shown}'` });
  };
  const reader = createCsvReader();
  const takeRows = async (rows: ReturnType<typeof reader.push>) => {
    for (const { line, cells } of rows) {
      if (!plan) {
        plan = planOptOuts(cells, options);
        if (plan.hasHeader) continue;
      }
      take(line, cells);
      if (waiting.size < batchKeys) continue;
      if (signal.aborted) return;
      await flush();
    }
  };
  for await (const piece of options.text) {
    await takeRows(reader.push(piece));
    if (signal.aborted) break;
  }
  if (!signal.aborted) await takeRows(reader.end());
  if (!signal.aborted && waiting.size > 0) await flush();
  const { columns = {}, unused = [] } = plan ?? {};
  return { ...count, problems, columns, unused, isStopped: signal.aborted };
}

interface OptOutColumns {
  readonly hasHeader: boolean;
  readonly columns: OptOutImport["columns"];
  readonly unused: readonly string[];
  keysOf(cells: readonly string[]): readonly SuppressionKey[];
  saysNo(cells: readonly string[]): boolean;
}

const kindByField: Readonly<Record<string, SuppressionKind>> = {
  email: "email",
  phone: "phone",
  place: "place",
  domain: "domain",
  website: "domain",
};

/** Matches `HasOptedOutOfEmail`, `Unsubscribed from all email`, `Do not call`, `Opt-out`. */
const optOutHeader = /opt(?:ed)?out|unsubscribed|donot(?:email|mail|call|contact)|suppressed/;
const no = /^(?:false|no|n|0|nein|non|subscribed)$/i;

function planOptOuts(header: readonly string[], options: OptOutOptions): OptOutColumns {
  const { country, kinds } = options;
  const isFlag = header.map((name) =>
    optOutHeader.test(name.toLowerCase().replace(/[^\p{L}]/gu, "")),
  );
  const guessed = header.map((name, at) => (isFlag[at] ? undefined : kindOfHeader(name)));
  const hasHeader = guessed.some((kind) => kind !== undefined);
  const first = readKey(header[0] ?? "", { country });
  if (!hasHeader && first === undefined) throw noColumns(header);
  if (!hasHeader) {
    const keysOf = ([cell = ""]: readonly string[]) => readKey(cell, { country }) ?? [];
    return {
      hasHeader,
      columns: {},
      unused: [],
      keysOf: (cells) => [keysOf(cells)].flat(),
      saysNo: () => false,
    };
  }
  // One person's opt-out does not apply to the whole company, and their domain may be a free mail
  // provider.
  const taken = kinds ?? (guessed.includes("email") ? ["email", "phone", "place"] : undefined);
  const used = guessed.map((kind) =>
    kind !== undefined && (taken?.includes(kind) ?? true) ? kind : undefined,
  );
  if (!used.some((kind) => kind !== undefined)) throw noColumns(header);
  return {
    hasHeader,
    columns: Object.fromEntries(
      header.flatMap((name, at): [string, SuppressionKind | "opted out?"][] =>
        used[at] !== undefined ? [[name, used[at]]] : isFlag[at] ? [[name, "opted out?"]] : [],
      ),
    ),
    unused: header.filter((_, at) => used[at] === undefined && !isFlag[at]),
    keysOf: (cells) =>
      used.flatMap((kind, at) =>
        kind === undefined
          ? []
          : (cells[at] ?? "")
              .split(/[;|\n]/)
              .flatMap((part) => readKeyOf(kind, part.replace(/^'/, ""), { country }) ?? []),
      ),
    saysNo: (cells) => isFlag.some((flag, at) => flag && no.test((cells[at] ?? "").trim())),
  };
}

/** `Email`, `Work e-mail`, `Mobile phone number`, `Company domain name`. */
function kindOfHeader(name: string): SuppressionKind | undefined {
  const field = columnOf(name)?.field;
  if (field !== undefined) return kindByField[field];
  const plain = name.toLowerCase().replace(/[^\p{L}]/gu, "");
  if (/e?mail(?:address)?\d*$/.test(plain) && !/(?:last|first|date|status|type)/.test(plain)) {
    return "email";
  }
  if (/(?:phone|mobile|telephone|telefon)(?:number)?$/.test(plain)) return "phone";
  return /domain(?:name)?$/.test(plain) ? "domain" : undefined;
}

const noColumns = (header: readonly string[]) =>
  new AppError(
    "invalid",
    "suppress_columns",
    `no column has e-mail addresses, domains, phone numbers or place ids; columns: ${header.join(", ").slice(0, 200)}. ` +
      "Rename one of them to Email, Domain, Phone or Place",
  );
