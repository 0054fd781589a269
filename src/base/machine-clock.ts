import { readFileSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { AppError } from "./app-error.ts";

/**
 * Milliseconds since the machine booted, the same in all its processes. It never steps. Only
 * differences within one boot have a meaning; `bootId` identifies the boot.
 */
export const machineMonotonicMs = (): number => machineMonotonicUs() / 1_000;

const machineMonotonicUs = (): number => Number(process.hrtime.bigint() / 1_000n);

/**
 * Whole milliseconds since an earlier reading of `machineMonotonicMs`, rounded down. It counts in
 * whole microseconds, because the difference of two fractions may be slightly below a whole number.
 */
export const machineMsSince = (earlierMs: number): number =>
  Math.floor((machineMonotonicUs() - Math.round(earlierMs * 1_000)) / 1_000);

const linuxBoot = { platform: process.platform as string, file: "/proc/sys/kernel/random/boot_id" };

/**
 * Changes with every boot of this machine, and is the same in all its processes. A store that sees
 * another boot id discards all leases. So on Linux there is no fallback for the kernel's id: a
 * process that used one would disagree with processes that can read the kernel's.
 */
export function bootId({ platform, file } = linuxBoot): string {
  // On other systems: the time of the boot, rounded more coarsely than the error between two
  // readings.
  if (platform !== "linux") {
    return `${hostname()}-${Math.round((Date.now() / 1_000 - uptime()) / 60)}`;
  }
  let found: string;
  try {
    found = readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw hidden(file, cause);
  }
  if (found === "") throw hidden(file, "it is empty");
  return found;
}

const hidden = (file: string, cause: unknown) =>
  new AppError(
    "invalid",
    "boot_id_hidden",
    `${file} cannot be read, so it is unknown whether leases are from this boot: show /proc to ` +
      "this process (systemd: remove ProcSubset=pid from the unit; containers and sandboxes: " +
      "mount /proc and do not mask /proc/sys)",
    { cause },
  );
