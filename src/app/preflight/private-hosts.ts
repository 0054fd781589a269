import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { systemClock } from "../../base/clock.ts";
import type { LoadedSettings } from "../../config/index.ts";
import { createAddressGuard } from "../../crawl/index.ts";
import type { PreflightFinding } from "./preflight.ts";

export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Enough to find a common problem of a list of websites. */
export const hostsLookedAt = 20;
const lookupMs = 2_000;

/** Hosts with private addresses are refused, so their visits can only fail. */
export async function privateHostsFinding(
  { settings }: LoadedSettings,
  hosts: readonly string[],
  resolve: ResolveHost = resolveHost,
): Promise<PreflightFinding | undefined> {
  const allow = settings.crawl.allowPrivateNetworks.split(",").filter((network) => network !== "");
  const guard = createAddressGuard({ allow });
  const some = [...new Set(hosts)].slice(0, hostsLookedAt);
  const found = await Promise.all(
    some.map(async (host) => ({ host, addresses: await unlessUnknown(resolve, host) })),
  );
  const refused = found.filter(
    ({ addresses }) => addresses.length > 0 && !addresses.some((one) => guard.isAllowed(one)),
  );
  const [first] = refused;
  if (!first) return undefined;
  const networks = [...new Set([...allow, ...networksOf(refused.map(({ addresses }) => addresses[0]!))])]; // prettier-ignore
  const count =
    refused.length === 1
      ? first.host
      : `${refused.length} of ${some.length} websites, such as ${first.host},`;
  return {
    check: "private address",
    state: "warn",
    detail: `${count} ${refused.length === 1 ? "has" : "have"} a private address (${first.addresses[0]}), which is not visited`,
    advice: `to allow ${refused.length === 1 ? "it" : "them"}: \`forager config set crawl.allowPrivateNetworks ${networks.join(",")}\``,
  };
}

/** The addresses; IPv4 addresses with the same first 24 bits are shown as one network. */
function networksOf(addresses: readonly string[]): readonly string[] {
  const byNetwork = new Map<string, readonly string[]>();
  for (const address of new Set(addresses)) {
    const start = address.slice(0, address.lastIndexOf("."));
    const network = isIP(address) === 4 ? `${start}.0/24` : address;
    byNetwork.set(network, [...(byNetwork.get(network) ?? []), address]);
  }
  return [...byNetwork].map(([network, [first, ...others]]) =>
    others.length === 0 ? first! : network,
  );
}

/** Returns no addresses if the name cannot be resolved, or not in time. */
async function unlessUnknown(resolve: ResolveHost, host: string): Promise<readonly string[]> {
  const bare = host.replace(/^\[|\]$/g, "");
  if (isIP(bare) !== 0) return [bare];
  const late = new Promise<readonly string[]>((done) => {
    systemClock.setTimer(lookupMs, () => done([]), { background: true });
  });
  return Promise.race([resolve(bare).catch(() => []), late]);
}

const resolveHost: ResolveHost = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);
