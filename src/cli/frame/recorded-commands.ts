import type { Flags } from "./command.ts";

/** Commands that change something or export data: each run is recorded in the audit log. */
const recorded = new Set([
  "init",
  "publish",
  "enrich",
  ...words("queue", "add import pause resume seal cancel gate retry purge move raise"),
  ...words("bucket", "create put"),
  ...words("company", "add set unset note meeting call tag exclude check-emails merge unmerge distinct resolve restore delete forget open"), // prettier-ignore
  ...words("person", "add set unset note meeting call tag restore delete forget open"),
  ...words("records", "rebuild ingest purge repair"),
  "undo",
  "import companies",
  ...words("export", "companies emails changes"),
  "audit-log export",
  "backup create",
  ...words("suppress", "add remove import"),
  ...words("ledger", "set compact quarantine restore forget"),
  ...words("campaign", "new edit set remove plan dispatch rematch run"),
  "places import",
  ...words("schedule", "add pause resume remove run-now"),
  ...words("webhook", "add replay rotate enable remove test"),
  ...words("node", "join key"),
  ...words("fleet", "set finish-upgrade"),
  ...words("user", "add role password remove"),
  ...words("token", "add revoke"),
  "infra apply-outputs",
  "deploy",
  ...words("config", "set edit"),
]);

/** Recorded only with one of these flags: without them the command only shows something. */
const changesOnlyWith: Readonly<Record<string, readonly string[]>> = {
  "campaign audit": ["repair"],
  "queue reconcile": ["repair"],
  "queue gate": ["delay", "limit", "block"],
  "queue job": ["concurrency", "budget", "gate"],
};

/** With one of these flags a command changes nothing: it prints what it would do, or a status. */
const showOnly = ["dryRun", "status", "report"];

export function isRecorded({ name, flags, args }: RecordedRun): boolean {
  const needed = changesOnlyWith[name];
  if (needed) return needed.some((flag) => isGiven(flags[flag]));
  if (name === "records quarantine") return args.length > 0 && args[0] !== "show";
  if (name === "queue log") return args[0] === "prune" && flags["dryRun"] !== true;
  return recorded.has(name) && !showOnly.some((flag) => isGiven(flags[flag]));
}

export interface RecordedRun {
  readonly name: string;
  readonly args: readonly string[];
  readonly flags: Flags;
}

const isGiven = (value: Flags[string]) => value !== undefined && value !== false && value !== "";

/** The arguments of the command. Only the host of a web address is kept, because its path may be a secret. */
export function targetOf({ name, args }: RecordedRun): string {
  // The suppression list stores only hashes, so the audit log must not contain the name either.
  if (name === "suppress add" || name === "suppress remove") return "(not recorded)";
  // The entry has the id, which the journals keep too.
  if (name === "company forget" || name === "person forget") return "(not recorded)";
  // Record only the key of a setting and the kind of a task: values and payloads may contain
  // secrets.
  const shown = name === "config set" || name === "queue add" ? args.slice(0, 1) : args;
  return shown.map((text) => (/^https?:\/\//i.test(text) ? `${hostOf(text)}/…` : text)).join(" ");
}

/** The flags that were given, without `--yes`. */
export function givenFlags({ flags }: RecordedRun): Flags | undefined {
  const given = Object.entries(flags).filter(([name, value]) => isGiven(value) && name !== "yes");
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function hostOf(text: string): string {
  try {
    return new URL(text).origin;
  } catch {
    return "an address";
  }
}

function words(noun: string, verbs: string): readonly string[] {
  return verbs.split(" ").map((verb) => `${noun} ${verb}`);
}
