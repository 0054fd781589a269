/**
 * The program of the thread of `createMdnsDiscovery`: announces a node, and reports the nodes that
 * it finds. The library is used only here. It throws from callbacks of sockets and timers (no
 * network, a port in use, an unexpected packet), where the caller cannot catch; here that ends only
 * this thread.
 */
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../../base/app-error.ts";
import { systemClock } from "../../../base/clock.ts";
import { foundMax } from "../../discovery/discovery.ts";
import { readHint, serviceType } from "../../discovery/read-hint.ts";
import type { FoundPeer } from "../../gossip.ts";

/** Passed to the thread at its start. */
export interface MdnsTask {
  readonly node: string;
  /**
   * A name for this thread alone: peers that have the last name in their caches notice the new one
   * at once.
   */
  readonly name: string;
  readonly cluster: string;
  readonly port: number;
  /** The hosts to announce. None: only listen. */
  readonly hosts: readonly string[];
}

/** A message from the thread. */
export type MdnsReport =
  | { readonly kind: "ready" }
  /** The library is not installed. */
  | { readonly kind: "absent" }
  | { readonly kind: "found"; readonly peers: readonly FoundPeer[] };

type Library = typeof import("bonjour-service");

/** How often browsing starts again: the library keeps the first address of a service for good. */
const browseMs = 60_000;
/** Services found within this time are reported together. */
const reportMs = 500;
/** Services in one round. More come from an attacker: ignore all until the next round. */
const servicesMax = 4 * foundMax;

const { node, name, cluster, port, hosts } = workerData as MdnsTask;
const parent = parentPort;
assert(parent, "this is the program of a thread");
const report = (message: MdnsReport) => parent.postMessage(message);

const library = await load();
if (library) run(library);
else report({ kind: "absent" });

async function load(): Promise<Library | undefined> {
  try {
    const loaded = (await import("bonjour-service")) as Library & { readonly default: Library };
    return loaded.default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function run(Bonjour: Library): void {
  announceOnly(Bonjour, new Set(hosts));
  const bonjour = new Bonjour();
  const txt = { v: "1", cluster, node };
  // Name and host are unique, so the library need not probe for them.
  if (hosts.length > 0)
    bonjour.publish({
      name,
      host: `forager-${node}.local`,
      type: serviceType,
      protocol: "udp",
      port,
      txt,
      probe: false,
    });

  const found = new Map<string, FoundPeer>();
  let isReporting = false;
  const reportFound = () => {
    isReporting = false;
    if (found.size > 0) report({ kind: "found", peers: [...found.values()] });
    found.clear();
  };
  const browse = () => {
    let services = 0;
    const browser = bonjour.find({ type: serviceType, protocol: "udp" });
    const add = (service: InstanceType<Library["Service"]>) => {
      if (++services > servicesMax) return browser.stop();
      const { addresses, port: announcedPort, referer, txt } = service as Partial<typeof service>;
      const hint = { addresses, port: announcedPort, txt: txt as unknown, from: referer?.address };
      for (const peer of readHint(hint, { cluster, node }))
        if (found.size < foundMax) found.set(peer.address, peer);
      if (!isReporting) systemClock.setTimer(reportMs, reportFound);
      isReporting = true;
    };
    browser.on("up", add).on("txt-update", add).on("srv-update", add);
    systemClock.setTimer(browseMs, () => {
      browser.stop();
      browse();
    });
  };
  browse();
  report({ kind: "ready" });
  parent!.on("message", () => {
    // Say goodbye before the end, because others may cache the announcement for hours.
    bonjour.unpublishAll(() => bonjour.destroy(() => process.exit(0)));
  });
}

/** The library announces every address of this machine; keep only those that lead to it. */
function announceOnly({ Service }: Library, announced: ReadonlySet<string>): void {
  const prototype: { records: InstanceType<Library["Service"]>["records"] } = Service.prototype;
  const all = prototype.records; // the patch affects this thread only
  prototype.records = function records() {
    const isAddress = (type: string) => type === "A" || type === "AAAA";
    return all
      .call(this)
      .filter(({ type, data }) => !isAddress(type) || announced.has(String(data)));
  };
}
