/**
 * The filter language of tasks: `kind:enrich gate:x reason:domain_delay state:failed text`. A value
 * with spaces is in double quotes. Words without a name are searched in the payload.
 */
export const taskStates = ["pending", "running", "done", "skipped", "failed"] as const;
export type TaskState = (typeof taskStates)[number];

export const waitingReasonNames = [
  "paused",
  "scheduled",
  "retry_backoff",
  "domain_delay",
  "concurrency_limit",
  "worker_capacity",
] as const;

export interface TaskFilter {
  readonly state?: TaskState[];
  readonly kind?: string;
  readonly job?: string;
  readonly gate?: string;
  readonly keyPrefix?: string;
  readonly waits?: (typeof waitingReasonNames)[number];
  readonly error?: string;
  readonly text?: string;
}

/** What each name means, for suggestions. */
export const qualifiers = {
  state: "pending, running, done, skipped or failed",
  kind: "the type of work",
  job: "the group of tasks",
  gate: "the host",
  reason: "why it waits",
  error: "in the last error",
  key: "the beginning of its key",
} as const;
export type Qualifier = keyof typeof qualifiers;

export interface ParsedTaskQuery {
  readonly filter: TaskFilter;
  /** Errors in the filter, as text for the user. */
  readonly problems: readonly string[];
}

const token = /([a-z]+):(?:"([^"]*)"?|(\S*))|"([^"]*)"?|(\S+)/g;

export function parseTaskQuery(text: string): ParsedTaskQuery {
  const filter: { -readonly [K in keyof TaskFilter]: TaskFilter[K] } = {};
  const problems: string[] = [];
  const words: string[] = [];
  for (const [all, name, quoted, plain, quotedWord, word] of text.matchAll(token)) {
    const value = quoted ?? plain;
    if (name === undefined || !(name in qualifiers)) {
      words.push(quotedWord ?? word ?? all);
      continue;
    }
    if (value === undefined || (value === "" && quoted === undefined)) continue;
    if (name === "state") {
      const states = value.split(",").filter((one) => one !== "");
      const known = states.filter((one): one is TaskState => taskStates.includes(one as TaskState));
      if (known.length < states.length)
        problems.push(`state: takes ${taskStates.join(", ")}, several with a comma`);
      if (known.length > 0) filter.state = [...new Set([...(filter.state ?? []), ...known])];
    } else if (name === "reason") {
      const known = waitingReasonNames.find((one) => one === value);
      if (known) filter.waits = known;
      else problems.push(`reason: takes ${waitingReasonNames.join(", ")}`);
    } else if (name === "gate") filter.gate = value;
    else if (value === "") continue;
    else if (name === "key") filter.keyPrefix = value;
    else filter[name as "kind" | "job" | "error"] = value;
  }
  if (words.length > 0) filter.text = words.join(" ");
  return { filter, problems };
}

const quote = (value: string) =>
  value === "" || /[\s"]/.test(value) ? `"${value.replaceAll('"', "")}"` : value;

/** The text that `parseTaskQuery` reads as this filter. */
export function taskQueryText(filter: TaskFilter): string {
  const { state, kind, job, gate, keyPrefix, waits, error, text } = filter;
  const named: readonly (readonly [Qualifier, string | undefined])[] = [
    ["state", state?.join(",")],
    ["kind", kind],
    ["job", job],
    ["gate", gate],
    ["reason", waits],
    ["error", error],
    ["key", keyPrefix],
  ];
  return [
    ...named.flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${quote(value)}`])),
    ...(text === undefined ? [] : [text]),
  ].join(" ");
}

/** The list of tasks with a filter. */
export const tasksHref = (filter: TaskFilter): string =>
  `/queue/tasks?q=${encodeURIComponent(taskQueryText(filter)).replaceAll("%20", "+")}`;

/** The host is a query parameter, because the path of a page cannot contain dots. */
export const hostHref = (gate: string): string => `/hosts?host=${encodeURIComponent(gate)}`;

const shellQuote = (value: string) =>
  /^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;

/** The command that lists the same tasks. */
export function taskCommand({ state, kind, job, gate, keyPrefix, waits, error, text }: TaskFilter) {
  const flags: readonly (readonly [string, string | undefined])[] = [
    ...(state ?? []).map((one) => ["--state", one] as const),
    ["--kind", kind],
    ["--job", job],
    ["--gate", gate],
    ["--waits", waits],
    ["--error", error],
    ["--key-prefix", keyPrefix],
    ["--text", text],
  ];
  return [
    "forager queue list",
    ...flags.flatMap(([flag, value]) =>
      value === undefined ? [] : [`${flag} ${shellQuote(value)}`],
    ),
  ].join(" ");
}
