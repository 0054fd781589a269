import { AppError } from "../base/app-error.ts";
import { nearestHint } from "../base/text/nearest.ts";
import type { Assignment, DesiredEntry } from "./desired-state.ts";

/** The desired state of one node, typed. */
export interface NodeDesired {
  readonly state: NodeState;
  /** The revision of the command that set the state; 0: none did. */
  readonly stateRevision: number;
  /** By kind: tasks at once, or `PROCESSESxCONCURRENCY` as in work.pools; 0 for none. */
  readonly workers: ReadonlyMap<string, string>;
  /** By campaign name, then by field. */
  readonly campaigns: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  /** By campaign name, or `_defaults`: the revision of its configuration in the bucket. */
  readonly configs: ReadonlyMap<string, number>;
  /** Until then the node uploads its log lines every few seconds. */
  readonly logsUntilMs: number;
  /** Keys of a later version, and invalid values: they are reported and not applied. */
  readonly faults: readonly string[];
}

export type NodeState = "working" | "paused" | "drained";

export const nodeStates: Readonly<Record<string, NodeState>> = {
  pause: "paused",
  resume: "working",
  drain: "drained",
};

const forms = ["pause", "resume", "drain", "workers.KIND=COUNT", "campaign.NAME.FIELD=VALUE"];
const workersShape = /^(?:(\d{1,3})x)?(\d{1,5})(?:-(\d{1,5}))?$/;
/** The same limit as in work.pools. */
const concurrencyMax = 10_000;
const kindShape = /^[\w:.-]{1,100}$/;
const campaignShape = /^campaign\.([a-z0-9][a-z0-9-]{0,62})\.([A-Za-z][\w.]{0,100})$/;
const configShape = /^config\.(_defaults|[a-z0-9][a-z0-9-]{0,62})$/;
/** The key of an entry that says that the fleet's configuration of a campaign has changed. */
export const configKey = (campaign: string): string => `config.${campaign}`;
const valueBytesMax = 8_000;
export const logsKey = "logs.untilMs";
const stateKey = "state";
/** The value that stands for "as in the node's own settings". */
const byDefault = "default";

/**
 * Checks a campaign's field. Passed in, because this module does not know campaigns. Returns what
 * is wrong.
 */
export type CheckField = (field: string, value: unknown) => string | undefined;

/** `pause`, `workers.enrich=4`, `campaign.austin.proximityKm=20`. Throws `fleet_assignment`. */
export function parseAssignment(text: string, checkField: CheckField): Assignment {
  const state = Object.hasOwn(nodeStates, text) ? nodeStates[text] : undefined;
  if (state) return { key: stateKey, value: state };
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    const hint = nearestHint(text, Object.keys(nodeStates), (meant) => `; did you mean ${meant}?`);
    throw wrong(text, `unknown setting${hint === "" ? "." : hint} There is ${known}`);
  }
  const assignment = { key, value: value === byDefault ? null : readValue(key, value) };
  const fault = faultOf(assignment, checkField);
  if (fault !== undefined) throw wrong(text, fault);
  return assignment;
}

/**
 * All assignments of one command. Throws `fleet_assignment`, also if two of them contradict each
 * other.
 */
export function parseAssignments(
  texts: readonly string[],
  checkField: CheckField,
): readonly Assignment[] {
  const textByKey = new Map<string, string>();
  return texts.map((text) => {
    const assignment = parseAssignment(text, checkField);
    const before = textByKey.get(assignment.key);
    if (before !== undefined)
      throw wrong(text, `${before} was given before; give only one of them`);
    textByKey.set(assignment.key, text);
    return assignment;
  });
}

const known = `${forms.slice(0, -1).join(", ")} and ${forms.at(-1)}`;

const readValue = (key: string, text: string): unknown => {
  if (key.startsWith("workers.")) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // a word needs no quotes
  }
};

function faultOf({ key, value }: Assignment, checkField: CheckField): string | undefined {
  if (Buffer.byteLength(JSON.stringify(value)) > valueBytesMax) {
    return `it is longer than ${valueBytesMax} bytes`;
  }
  if (key.startsWith("workers.")) {
    if (!kindShape.test(key.slice("workers.".length))) return "a kind is missing after workers.";
    return value === null ? undefined : workersFault(value);
  }
  const [, , field] = campaignShape.exec(key) ?? [];
  if (field !== undefined) return value === null ? undefined : checkField(field, value);
  return `there is no ${key}, only ${known}`;
}

function workersFault(value: unknown): string | undefined {
  const [text, processes = "1", min, max = min] = workersShape.exec(String(value)) ?? [];
  const hasRange = text?.includes("x") === true || max === min;
  const isGood =
    Number(processes) > 0 &&
    Number(min) > 0 &&
    Number(max) >= Number(min) &&
    Number(max) <= concurrencyMax;
  if (typeof value === "string" && (value === "0" || (hasRange && isGood))) return undefined;
  return "write how many tasks at once (0 for none), such as 4, or 2x5-20";
}

/** The typed form of the entries that apply to a node. */
export function toNodeDesired(entries: ReadonlyMap<string, DesiredEntry>): NodeDesired {
  const workers = new Map<string, string>();
  const campaigns = new Map<string, Map<string, unknown>>();
  const configs = new Map<string, number>();
  const faults: string[] = [];
  let state: NodeState = "working";
  let stateRevision = 0;
  let logsUntilMs = 0;
  for (const [key, { value, revision }] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [, name, field] = campaignShape.exec(key) ?? [];
    const [, config] = configShape.exec(key) ?? [];
    if (key === stateKey && (value === null || isState(value))) {
      state = value ?? "working";
      stateRevision = revision;
    } else if (key === logsKey && typeof value === "number") logsUntilMs = value;
    else if (config !== undefined && typeof value === "number") configs.set(config, value);
    else if (key.startsWith("workers.") && faultOf({ key, value }, () => undefined) === undefined) {
      if (value !== null) workers.set(key.slice("workers.".length), value as string);
    } else if (name !== undefined && field !== undefined) {
      const fields = campaigns.get(name) ?? new Map<string, unknown>();
      campaigns.set(name, fields);
      if (value !== null) fields.set(field, value);
    } else faults.push(`${key.slice(0, 100)} is not known to this version`);
  }
  return { state, stateRevision, workers, campaigns, configs, logsUntilMs, faults };
}

const isState = (value: unknown): value is NodeState =>
  Object.values(nodeStates).includes(value as NodeState);

const wrong = (text: string, why: string) =>
  new AppError("invalid", "fleet_assignment", `'${text.slice(0, 200)}': ${why}`);
