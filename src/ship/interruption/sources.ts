import { readFile, stat } from "node:fs/promises";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { InterruptionNotice, InterruptionSource } from "./interruption.ts";

export interface MetadataOptions {
  /** The address of the metadata service. It is the same on all three providers. */
  readonly url: string;
  readonly clock: Clock;
}

const requestMs = 5_000;
const bodyBytesMax = 64 * 1024;

/** AWS normally announces an interruption two minutes before. */
export function createAwsInterruption({ url, clock }: MetadataOptions): InterruptionSource {
  let token: string | undefined;
  const newToken = async (signal: AbortSignal) => {
    const headers = { "x-aws-ec2-metadata-token-ttl-seconds": "21600" };
    const answer = await ask(`${url}/latest/api/token`, { method: "PUT", headers, signal });
    if (answer.status !== 200) throw unexpected("aws", answer.status);
    return answer.body;
  };
  return {
    name: "aws",
    everyMs: 5_000,
    async read(signal) {
      const address = `${url}/latest/meta-data/spot/instance-action`;
      const askWith = (one: string) =>
        ask(address, { headers: { "x-aws-ec2-metadata-token": one }, signal });
      const before = token;
      token ??= await newToken(signal);
      let answer = await askWith(token);
      if (answer.status === 401 && before !== undefined) {
        // It has expired. The notice may be there by now, so the service is asked again at once.
        token = await newToken(signal);
        answer = await askWith(token);
      }
      if (answer.status === 404) return undefined;
      if (answer.status === 401) token = undefined;
      if (answer.status !== 200) throw unexpected("aws", answer.status);
      const { action, time } = parseObject("aws", answer.body);
      return { what: textOf(action, "interrupt"), leftMs: leftUntil(time, clock) };
    },
  };
}

/** Google Cloud announces an interruption about 30 seconds before. */
export const createGcpInterruption = ({ url }: MetadataOptions): InterruptionSource => ({
  name: "gcp",
  everyMs: 1_000,
  async read(signal) {
    const headers = { "metadata-flavor": "Google" };
    const address = `${url}/computeMetadata/v1/instance/preempted`;
    const answer = await ask(address, { headers, signal });
    if (answer.status !== 200) throw unexpected("gcp", answer.status);
    return answer.body.trim() === "TRUE" ? { what: "preempted", leftMs: 30_000 } : undefined;
  },
});

/**
 * Azure announces an interruption at least 30 seconds before. Machines of one scale set or
 * availability set get the events of all of them, so the event must name this machine.
 */
export function createAzureInterruption({ url, clock }: MetadataOptions): InterruptionSource {
  const headers = { metadata: "true" };
  let ownName: string | undefined;
  /** Undefined: the service does not say. Then every event counts. */
  const readName = async (signal: AbortSignal) => {
    const address = `${url}/metadata/instance/compute/name?api-version=2021-02-01&format=text`;
    const { status, body } = await ask(address, { headers, signal });
    return status === 200 && body.trim() !== "" ? body.trim() : undefined;
  };
  return {
    name: "azure",
    everyMs: 1_000,
    async read(signal) {
      const address = `${url}/metadata/scheduledevents?api-version=2020-07-01`;
      const answer = await ask(address, { headers, signal });
      if (answer.status !== 200) throw unexpected("azure", answer.status);
      const { Events: events } = parseObject("azure", answer.body);
      const leaving = (Array.isArray(events) ? events : []).filter(
        (event: unknown): event is Record<string, unknown> =>
          typeof event === "object" &&
          event !== null &&
          ["Preempt", "Terminate"].includes(
            String((event as Record<string, unknown>)["EventType"]),
          ),
      );
      if (leaving.length === 0) return undefined;
      ownName ??= await readName(signal).catch(() => undefined);
      const found = leaving.find(({ Resources }) => names(Resources, ownName));
      if (!found) return undefined;
      const what = textOf(found["EventType"], "Preempt");
      return { what, leftMs: leftUntil(found["NotBefore"], clock) };
    },
  };
}

/** Whether an event is about this machine, or does not say about which one. */
function names(resources: unknown, ownName: string | undefined): boolean {
  if (ownName === undefined || !Array.isArray(resources) || resources.length === 0) return true;
  // Names of a scale set may begin with an underscore here.
  const plain = (name: unknown) => String(name).replace(/^_/, "").toLowerCase();
  return resources.some((one) => plain(one) === plain(ownName));
}

/**
 * Any other program can announce an interruption with a file: a UPS monitor, a scheduler, a script.
 */
export const createFileInterruption = (path: string): InterruptionSource => ({
  name: "file",
  everyMs: 1_000,
  async read(): Promise<InterruptionNotice | undefined> {
    try {
      await stat(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw error;
    }
    return { what: `${path} exists`, leftMs: undefined };
  },
});

/** Finds the provider of this machine in the data of its firmware. Does not use the network. */
export async function findProvider(
  folder = "/sys/class/dmi/id",
): Promise<"aws" | "gcp" | "azure" | undefined> {
  const read = (name: string) => readFile(`${folder}/${name}`, "utf8").catch(() => "");
  const text = `${await read("sys_vendor")} ${await read("product_name")}`;
  if (/Amazon EC2/i.test(text)) return "aws";
  if (/Google/i.test(text)) return "gcp";
  return /Microsoft Corporation.*Virtual Machine/is.test(text) ? "azure" : undefined;
}

interface Asked {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

async function ask(address: string, { signal, ...init }: Asked) {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(requestMs)]);
  const answer = await fetch(address, { ...init, redirect: "error", signal: limited });
  const body = await answer.text();
  if (body.length > bodyBytesMax) {
    throw new AppError("invalid", "metadata_wrong", `${address} answered ${body.length} bytes`);
  }
  return { status: answer.status, body };
}

const unexpected = (name: string, status: number) =>
  new AppError(
    "unavailable",
    "metadata_away",
    `the metadata service of ${name} answered ${status}: is work.interruption right for this machine?`,
  );

function parseObject(name: string, text: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === "object" && found !== null) return found as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new AppError(
    "invalid",
    "metadata_wrong",
    `the metadata service of ${name} did not send JSON`,
  );
}

const textOf = (value: unknown, otherwise: string) =>
  typeof value === "string" && value !== "" ? value.slice(0, 60) : otherwise;

function leftUntil(time: unknown, clock: Clock): number | undefined {
  const atMs = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - clock.nowMs());
}
