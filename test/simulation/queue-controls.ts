import { applyControl, type Control } from "../../src/queue/adapters/bucket/storage/control.ts";
import type { ShardHead } from "../../src/queue/adapters/bucket/head/head.ts";
import type { ModelNow } from "../../src/queue/model/now.ts";
import type { Shard } from "../../src/queue/model/shard.ts";
import { place, type LandedHead } from "./queue-heads.ts";
import type { World } from "./world.ts";

/** What the shards of a queue agreed on, version by version, as it landed. */
export interface Controls {
  /** A shard as it is once it has applied that version. */
  apply(before: LandedHead, version: number, now: ModelNow): Shard;
}

export function createControls(world: World): Controls {
  const versions = new Map<number, Control>();
  world.onLanding((key, { body }) => {
    if (key !== place.control) return;
    const { value } = JSON.parse(Buffer.from(body).toString()) as { value: Control };
    versions.set(value.version, value);
    world.tell(`control version ${value.version}`);
  });
  return {
    apply({ full, control }, version, now) {
      const wanted = versions.get(version);
      if (version === control || !wanted) return full;
      return applyControl({ shard: full, control } as ShardHead, wanted, now).shard;
    },
  };
}
