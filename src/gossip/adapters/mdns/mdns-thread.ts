/**
 * The program of the thread of `createMdnsDiscovery`: announces a node, and tells what it hears of
 * others. Everything of the library happens here. It throws from callbacks of sockets and timers
 * (no network, a port in use, a packet it did not expect) where nobody could catch it; here that
 * ends the thread, and no more.
 */
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../../base/app-error.ts";
import { systemClock } from "../../../base/clock.ts";
import { foundMax } from "../../discovery/discovery.ts";
import { readHint, serviceType } from "../../discovery/read-hint.ts";
import type { FoundPeer } from "../../gossip.ts";

/** To the thread, when it starts. */
export interface MdnsTask {
  readonly node: string;
  /** Of this thread alone: who knows its last name hears of the new one at once. */
  readonly name: string;
  readonly cluster: string;
  readonly port: number;
  /** The hosts to announce. None: only listen. */
  readonly hosts: readonly string[];
}

/** From the thread. */
export type MdnsReport =
  | { readonly kind: "ready" }
  /** The library is not installed. */
  | { readonly kind: "absent" }
  | { readonly kind: "found"; readonly peers: readonly FoundPeer[] };

type Library = typeof import("bonjour-service");

/** The library keeps the first address of a service for good: it begins anew so often. */
const browseMs = 60_000;
/** What came meanwhile is told at once, and not more often. */
const tellMs = 500;
/** Services in one round. Behind so many is somebody who floods us: deaf until the next round. */
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
  // The name and the host are nobody else's, so nothing has to be probed for.
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
  let isTelling = false;
  const tell = () => {
    isTelling = false;
    if (found.size > 0) report({ kind: "found", peers: [...found.values()] });
    found.clear();
  };
  const browse = () => {
    let services = 0;
    const browser = bonjour.find({ type: serviceType, protocol: "udp" });
    const hear = (service: InstanceType<Library["Service"]>) => {
      if (++services > servicesMax) return browser.stop();
      const { addresses, port: said, referer, txt } = service as Partial<typeof service>;
      const hint = { addresses, port: said, txt: txt as unknown, from: referer?.address };
      for (const peer of readHint(hint, { cluster, node }))
        if (found.size < foundMax) found.set(peer.address, peer);
      if (!isTelling) systemClock.setTimer(tellMs, tell);
      isTelling = true;
    };
    browser.on("up", hear).on("txt-update", hear).on("srv-update", hear);
    systemClock.setTimer(browseMs, () => {
      browser.stop();
      browse();
    });
  };
  browse();
  report({ kind: "ready" });
  parent!.on("message", () => {
    // Asked to stop: say so to others, who may have us in their caches for hours.
    bonjour.unpublishAll(() => bonjour.destroy(() => process.exit(0)));
  });
}

/** The library announces every address of this machine; here only those that lead to it. */
function announceOnly({ Service }: Library, announced: ReadonlySet<string>): void {
  const prototype: { records: InstanceType<Library["Service"]>["records"] } = Service.prototype;
  const all = prototype.records; // of this thread alone
  prototype.records = function records() {
    const isAddress = (type: string) => type === "A" || type === "AAAA";
    return all
      .call(this)
      .filter(({ type, data }) => !isAddress(type) || announced.has(String(data)));
  };
}
