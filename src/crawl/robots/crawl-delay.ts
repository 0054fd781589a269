/**
 * The pause between two requests to a host. Never shorter than the site or the setting asks for.
 */
export interface HostDelay {
  readonly delayMs: number;
  /** The site asked for more than the setting: shown as "slowed by site". */
  readonly isSlowed: boolean;
  /** The site asked for more than the limit: do not crawl it at all. */
  readonly isTooSlow: boolean;
}

export interface HostDelayOptions {
  readonly configuredMs: number;
  readonly crawlDelayMs: number | undefined;
  /** Default 30 seconds. */
  readonly crawlDelayMsMax?: number;
}

export function hostDelay(options: HostDelayOptions): HostDelay {
  const { configuredMs, crawlDelayMs = 0, crawlDelayMsMax = 30_000 } = options;
  return {
    delayMs: Math.max(configuredMs, crawlDelayMs),
    isSlowed: crawlDelayMs > configuredMs,
    isTooSlow: crawlDelayMs > Math.max(configuredMs, crawlDelayMsMax),
  };
}
