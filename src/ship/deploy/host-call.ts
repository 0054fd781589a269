import { AppError } from "../../base/app-error.ts";
import { hostScript } from "./host-script.ts";
import type { RemoteResult, RunRemotely } from "./remote.ts";

/** How a deploy reaches the hosts, and where things are on them. */
export interface HostAccess {
  readonly run: RunRemotely;
  /** The installation folder on each host, such as /opt/forager. */
  readonly folder: string;
  /** Identifies this deploy on all hosts. */
  readonly token: string;
}

export interface HostCall {
  readonly action: string;
  readonly args?: readonly string[];
  readonly hasSudo?: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The values in the answer of a host, by key. The order of values with the same key is kept. */
export type HostAnswer = ReadonlyMap<string, readonly string[]>;

const callMs = 60_000;
const answerBytesMax = 16 * 1024 * 1024;

/** The connection to a host was lost. The command may have run. */
export const connectionLost = "deploy_connection_lost";

/**
 * Runs one action of the script on a host. Throws `unavailable` with the code `deploy_connection_lost`
 * if the connection is lost, and `invalid` or `conflict` with the code `deploy_…` that the host names.
 */
export async function callHost(
  host: string,
  access: HostAccess,
  { action, args = [], hasSudo = false, timeoutMs = callMs, signal }: HostCall,
): Promise<HostAnswer> {
  const result = await access.run(host, {
    script: 's=$(cat); eval "$s"',
    args: [action, access.folder, access.token, ...args],
    input: hostScript,
    hasSudo,
    timeoutMs,
    signal,
  });
  const { stdout, stderr, exitCode } = requireEnded(host, result);
  if (stdout.length > answerBytesMax) {
    throw new AppError(
      "corrupt",
      "deploy_answer",
      `${host} answers ${action} with more than 16 MB`,
    );
  }
  const answer = parseAnswer(stdout);
  const code = answer.get("error")?.[0];
  if (code !== undefined) {
    const isRace = ["locked", "busy", "lock_lost", "undone"].includes(code);
    throw new AppError(isRace ? "conflict" : "invalid", `deploy_${code}`, `${host}: ${answer.get("message")?.[0] ?? code}`); // prettier-ignore
  }
  if (exitCode === 0) return answer;
  throw new AppError("unavailable", "deploy_command", `${host}: \`${action}\` ended with ${exitCode}: ${lastLine(stderr)}`); // prettier-ignore
}

/** Throws if the connection was lost. */
export function requireEnded(host: string, result: RemoteResult) {
  if (result.kind === "ended") return result;
  throw new AppError("unavailable", connectionLost, `${host}: ${result.why}`);
}

export const isConnectionLost = (error: unknown): boolean =>
  error instanceof AppError && error.code === connectionLost;

export const lastLine = (text: string): string =>
  text.trim().split("\n").slice(-3).join(" | ").slice(0, 1_000) || "it printed nothing";

function parseAnswer(stdout: string): HostAnswer {
  const answer = new Map<string, string[]>();
  for (const line of stdout.split("\n")) {
    const [, key, value] = /^forager:([a-z_]+)=(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    const values = answer.get(key) ?? [];
    values.push(value.trim());
    answer.set(key, values);
  }
  return answer;
}
