import { readFileSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { AppError } from "./app-error.ts";

/**
 * Milliseconds since the machine booted, the same for all its processes; it never steps. Only
 * differences within one boot mean anything: `bootId` says which boot that is.
 */
export const machineMonotonicMs = (): number => machineMonotonicUs() / 1_000;

const machineMonotonicUs = (): number => Number(process.hrtime.bigint() / 1_000n);

/**
 * Whole milliseconds since an earlier reading of `machineMonotonicMs`, rounded down. Counted in
 * whole microseconds, because a difference of fractions may come out just below a whole number.
 */
export const machineMsSince = (earlierMs: number): number =>
  Math.floor((machineMonotonicUs() - Math.round(earlierMs * 1_000)) / 1_000);

const linuxBoot = { platform: process.platform as string, file: "/proc/sys/kernel/random/boot_id" };

/**
 * Changes with every boot of this machine, and is the same for all its processes: a store whose
 * boot id changed takes all leases for void. So on Linux there is no substitute for the kernel's
 * own id. A process that could not read it would disagree with those that can.
 */
export function bootId({ platform, file } = linuxBoot): string {
  // Elsewhere: the moment of the boot, in steps coarser than the error of two such readings.
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
    `${file} cannot be read, so nobody can tell whether leases are of this boot: show /proc to ` +
      "this process (systemd: remove ProcSubset=pid from the unit; containers and sandboxes: " +
      "mount /proc and do not mask /proc/sys)",
    { cause },
  );
