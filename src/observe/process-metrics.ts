import { readFileSync } from "node:fs";
import { readdir, readFile, statfs } from "node:fs/promises";
import { freemem, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import type { Metrics } from "../base/metrics.ts";

/** The resources that this process uses. Values of the processes of a node are added up. */
export function registerProcessMetrics(metrics: Metrics): void {
  const cpu = metrics.gauge({
    name: "forager_process_cpu_seconds",
    help: "Processor time used by the running processes.",
    labels: ["mode"],
  });
  const memory = metrics.gauge({
    name: "forager_process_memory_bytes",
    help: "Memory used by the running processes.",
    labels: ["area"],
  });
  metrics.onSnapshot(() => {
    const { user, system } = process.cpuUsage();
    cpu.of("user").set(user / 1e6);
    cpu.of("system").set(system / 1e6);
    const { rss, heapUsed, external } = process.memoryUsage();
    memory.of("resident").set(rss);
    memory.of("heap").set(heapUsed);
    memory.of("external").set(external);
  });
}

/** The state of the machine. */
export interface MachineReading {
  readonly load1: number;
  readonly memoryBytes: { readonly total: number; readonly free: number };
  /** Of the volume that holds the data; undefined if unknown. */
  readonly diskBytes: { readonly total: number; readonly free: number } | undefined;
  /** Since boot, without loopback; undefined if the system does not report it. */
  readonly networkBytes: { readonly received: number; readonly sent: number } | undefined;
  /** Of the hottest sensor; undefined if there is none, as on most virtual machines. */
  readonly temperatureC?: number | undefined;
}

export async function readMachine(folder: string): Promise<MachineReading> {
  return {
    load1: loadavg()[0] ?? 0,
    memoryBytes: { total: totalmem(), free: freemem() },
    diskBytes: await readDisk(folder),
    networkBytes: readNetwork(),
    temperatureC: await readTemperature(),
  };
}

const thermalFolder = "/sys/class/thermal";

/** https://docs.kernel.org/driver-api/thermal/sysfs-api.html: thousandths of a degree. */
export async function readTemperature(folder = thermalFolder): Promise<number | undefined> {
  const names = await readdir(folder).catch(() => []); // not Linux, or no sensor
  const zones = names.filter((name) => name.startsWith("thermal_zone"));
  const texts = await Promise.all(
    zones.map((name) => readFile(join(folder, name, "temp"), "utf8").catch(() => "")),
  );
  const degrees = texts
    .map((text) => (/^-?\d+\s*$/.test(text) ? Number(text) / 1_000 : NaN))
    // Values of sensors that are switched off or broken.
    .filter((value) => value > -40 && value < 150 && value !== 0);
  return degrees.length > 0 ? Math.max(...degrees) : undefined;
}

async function readDisk(folder: string): Promise<MachineReading["diskBytes"]> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    return { total: blocks * bsize, free: bavail * bsize };
  } catch {
    return undefined; // the folder does not exist yet
  }
}

function readNetwork(): MachineReading["networkBytes"] {
  let text: string;
  try {
    text = readFileSync("/proc/net/dev", "utf8");
  } catch {
    return undefined; // not Linux
  }
  let received = 0;
  let sent = 0;
  for (const line of text.split("\n").slice(2)) {
    const [name = "", ...columns] = line.trim().split(/[:\s]+/);
    if (name === "" || name === "lo") continue;
    received += Number(columns[0] ?? 0);
    sent += Number(columns[8] ?? 0);
  }
  return { received, sent };
}

/** The caller updates the last reading from time to time. */
export function registerMachineMetrics(metrics: Metrics, last: () => MachineReading | undefined) {
  const load = metrics.gauge({ name: "forager_node_load1", help: "Load average of one minute." });
  const memory = metrics.gauge({
    name: "forager_node_memory_bytes",
    help: "Memory of the machine.",
    labels: ["state"],
  });
  const disk = metrics.gauge({
    name: "forager_node_disk_bytes",
    help: "Size of the volume that holds the data.",
    labels: ["state"],
  });
  const network = metrics.gauge({
    name: "forager_node_network_bytes",
    help: "Bytes over the network of the machine since it booted, without loopback.",
    labels: ["direction"],
  });
  metrics.onSnapshot(() => {
    const reading = last();
    if (!reading) return;
    load.of().set(reading.load1);
    memory.of("total").set(reading.memoryBytes.total);
    memory.of("free").set(reading.memoryBytes.free);
    if (reading.diskBytes) {
      disk.of("total").set(reading.diskBytes.total);
      disk.of("free").set(reading.diskBytes.free);
    }
    if (reading.networkBytes) {
      network.of("received").set(reading.networkBytes.received);
      network.of("sent").set(reading.networkBytes.sent);
    }
  });
}
