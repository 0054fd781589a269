/** The keys of the parts of a queue in its bucket. */
export interface QueueKeys {
  readonly manifest: string;
  readonly control: string;
  readonly wakeUp: string;
  readonly payloads: string;
  shard(index: number): string;
  /** The folder of a shard's logs. */
  logs(index: number): string;
}

export function createPlace(prefix: string): QueueKeys {
  const root = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  return {
    manifest: `${root}queue.json`,
    control: `${root}control.json`,
    wakeUp: `${root}bell`,
    payloads: `${root}payloads/`,
    shard: (index) => `${root}shards/${index}.json.gz`,
    logs: (index) => `${root}done/${index}/`,
  };
}
