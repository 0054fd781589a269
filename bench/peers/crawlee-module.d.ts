/** The part of Crawlee that we call; see plainjob-module.d.ts for why it is declared here. */
declare module "@crawlee/cheerio" {
  interface NavigationOptions {
    http2?: boolean;
    dnsLookup?: (
      name: string,
      options: { readonly all?: boolean },
      callback: (
        error: Error | null,
        address: string | readonly { address: string; family: number }[],
        family?: number,
      ) => void,
    ) => void;
  }
  export class Configuration {
    constructor(options: {
      readonly persistStorage: boolean;
      readonly purgeOnStart: boolean;
      readonly storageClientOptions: { readonly localDataDirectory: string };
    });
  }
  export class CheerioCrawler {
    constructor(
      options: {
        readonly minConcurrency: number;
        readonly maxConcurrency: number;
        readonly maxRequestsPerCrawl: number;
        readonly sameDomainDelaySecs?: number;
        readonly useSessionPool: boolean;
        readonly preNavigationHooks: readonly ((
          context: unknown,
          options: NavigationOptions,
        ) => void)[];
        readonly requestHandler: (context: { enqueueLinks(): Promise<unknown> }) => Promise<void>;
      },
      configuration: Configuration,
    );
    run(urls: readonly string[]): Promise<unknown>;
  }
  export const LogLevel: { readonly OFF: number };
  export const log: { setLevel(level: number): void };
}
