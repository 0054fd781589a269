import { availableParallelism, cpus, totalmem } from "node:os";

/** What the figures were measured on; without it they cannot be compared with anyone's. */
export interface Machine {
  readonly cpus: number;
  readonly model: string;
  readonly memoryGiB: number;
  readonly node: string;
  readonly platform: string;
}

export function machine(node = process.version): Machine {
  return {
    cpus: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? "unknown",
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    node,
    platform: `${process.platform}-${process.arch}`,
  };
}
