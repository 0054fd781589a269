import type { Clock } from "../../base/clock.ts";
import { callHost, isConnectionLost, type HostAccess, type HostAnswer } from "./host-call.ts";
import type { OpenRelease } from "./release-source.ts";

/** The state of a host before a deploy, and the problems that prevent it. */
export interface HostReport {
  readonly host: string;
  readonly isReachable: boolean;
  /** Such as `linux-arm64`; undefined if the host did not answer or runs another system. */
  readonly platform: string | undefined;
  readonly hasSudo: boolean;
  readonly freeBytes: number | undefined;
  /** The version of Node on the host; the release may contain its own. */
  readonly node: string | undefined;
  readonly current: string | undefined;
  readonly previous: string | undefined;
  readonly releases: readonly string[];
  /** How far the host's clock is ahead of ours. */
  readonly clockMs: number | undefined;
  /** Who holds the lock, and for how long. */
  readonly lock: string | undefined;
  readonly release: OpenRelease | undefined;
  /** The release that the host will get; undefined if none fits. */
  readonly to: string | undefined;
  readonly problems: readonly string[];
}

export interface PreflightRules {
  readonly access: HostAccess;
  readonly clock: Clock;
  /** Undefined for a roll-back, which uses releases that are on the hosts already. */
  readonly releases: readonly OpenRelease[] | undefined;
  /** For a roll-back: the release to use instead of the previous one. */
  readonly to: string | undefined;
  /** True if the service is managed by commands in the settings, not by systemd. */
  readonly hasOwnCommands: boolean;
  readonly signal: AbortSignal;
}

const attemptsMax = 2;
const clockMsMax = 5_000;
const platforms: Readonly<Record<string, string>> = {
  x86_64: "linux-x64",
  aarch64: "linux-arm64",
  arm64: "linux-arm64",
};

/** Checks one host. A failed connection is retried once. */
export async function askHost(host: string, rules: PreflightRules): Promise<HostReport> {
  const { access, clock, signal } = rules;
  for (let attempt = 1; ; attempt++) {
    const startMs = clock.nowMs();
    try {
      const answer = await callHost(host, access, { action: "preflight", signal });
      return judge(host, answer, { ...rules, startMs, endMs: clock.nowMs() });
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      if (attempt < attemptsMax) continue;
      const why = (error as Error).message.slice(host.length + 2);
      return { ...unknown, host, problems: [`not reachable: ${why}`] };
    }
  }
}

const unknown: Omit<HostReport, "host" | "problems"> = {
  isReachable: false,
  platform: undefined,
  hasSudo: false,
  freeBytes: undefined,
  node: undefined,
  current: undefined,
  previous: undefined,
  releases: [],
  clockMs: undefined,
  lock: undefined,
  release: undefined,
  to: undefined,
};

interface Judged extends PreflightRules {
  readonly startMs: number;
  readonly endMs: number;
}

function judge(host: string, answer: HostAnswer, rules: Judged): HostReport {
  const text = (key: string) => answer.get(key)?.[0] || undefined;
  const system = text("system") ?? "an unknown system";
  const platform = system === "Linux" && text("bits") === "64" ? platforms[text("machine") ?? ""] : undefined; // prettier-ignore
  const release = rules.releases?.find((one) => one.platform === platform);
  const current = text("current");
  const previous = text("previous");
  const releases = (text("releases") ?? "").split(" ").filter((name) => name !== "");
  const to = rules.releases ? release?.id : (rules.to ?? previous);
  const lockOwner = text("lock_owner");
  const lock = lockOwner === undefined ? undefined : `${lockOwner}, ${text("lock_left")} s left`;
  const report = {
    host,
    isReachable: true,
    platform,
    hasSudo: text("root") === "sudo",
    freeBytes: text("free_kb") === undefined ? undefined : Number(text("free_kb")) * 1024,
    node: text("node")?.replace(/^v/, ""),
    current,
    previous,
    releases,
    clockMs: clockOffset(Number(text("time")), rules),
    lock,
    release,
    to,
  };
  const problems: string[] = [];
  const { folder } = rules.access;
  if (platform === undefined) problems.push(`${system} on ${text("machine")}, ${text("bits")} bit: releases are for 64-bit Linux on x86_64 and aarch64`); // prettier-ignore
  else if (rules.releases && !release) problems.push(`the release is for ${rules.releases.map((one) => one.platform).join(" and ")}, and this host is ${platform}`); // prettier-ignore
  if (text("root") === "no") problems.push("neither root nor sudo without a password");
  if (current === undefined) problems.push(`no Forager in ${folder}: run install.sh there once`);
  const missing = text("missing");
  if (missing !== undefined) problems.push(`programs are missing: ${missing}`);
  if (text("systemd") !== "yes" && !rules.hasOwnCommands) problems.push("systemd is not running");
  if (release && report.freeBytes !== undefined && !releases.includes(release.id) && report.freeBytes < release.bytes * 2) problems.push(`${megabytes(report.freeBytes)} free, but ${megabytes(release.bytes * 2)} are needed`); // prettier-ignore
  if (release && !release.hasNode && !isNodeEnough(report.node)) problems.push(`the release contains no Node, and the host has ${report.node ?? "none"}: 22.14 or newer is needed`); // prettier-ignore
  if (report.clockMs !== undefined && Math.abs(report.clockMs) > clockMsMax) problems.push(`its clock is off by ${Math.round(report.clockMs / 1_000)} s: leases depend on it`); // prettier-ignore
  if (lock !== undefined) problems.push(`locked by ${lock}`);
  if (!rules.releases && current !== undefined) {
    if (to === undefined) problems.push("there is no release before the current one");
    else if (!releases.includes(to)) problems.push(`release ${to} is not on this host`);
  }
  return { ...report, problems };
}

/** The minimum clock offset: the host answered at some moment during the call, in whole seconds. */
function clockOffset(hostS: number, { startMs, endMs }: Judged): number | undefined {
  if (!Number.isFinite(hostS)) return undefined;
  const earliest = hostS * 1_000;
  const latest = earliest + 999;
  if (latest < startMs) return latest - startMs;
  return earliest > endMs ? earliest - endMs : 0;
}

function isNodeEnough(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 14);
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
