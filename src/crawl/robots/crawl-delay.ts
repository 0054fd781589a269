/** How long a host is left alone between requests. Never shorter than asked for, by either side. */
export interface HostDelay {
  readonly delayMs: number;
  /** The site asked for more than the setting: to be shown as "slowed by site". */
  readonly isSlowed: boolean;
  /** It asked for more than we are ready to wait: leave it alone altogether. */
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
