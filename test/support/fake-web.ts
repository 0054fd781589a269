import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSeededRandom } from "../../src/base/random.ts";
import { placesOf, type PlaceLine } from "../../src/showcase/fake-web/places.ts";
import { makeRegion } from "../../src/showcase/fake-web/region.ts";
import { makeSite } from "../../src/showcase/fake-web/site.ts";

/** The web of the demo, each site at a loopback address of its own: no name has to be resolved. */
export interface FakeWeb extends AsyncDisposable {
  readonly places: readonly PlaceLine[];
  /** `127.0.4.1/`, in the order of arrival. */
  readonly requests: readonly string[];
  /** For `crawl.allowPrivateNetworks`. */
  readonly network: string;
}

export async function startFakeWeb(size: number): Promise<FakeWeb> {
  const region = makeRegion({ size, random: createSeededRandom(7) });
  const random = createSeededRandom(8);
  const hostOf = (index: number) => `127.0.4.${index + 1}`;
  const sites = new Map(
    region.businesses.map((business, index) => [hostOf(index), makeSite(business, random)]),
  );
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/, "");
    const { url = "/" } = request;
    requests.push(`${host}${url}`);
    const answer = sites.get(host)?.answer(url);
    if (!answer) return void response.writeHead(404).end();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    places: placesOf(region).map((place, index) => ({
      ...place,
      website: `http://${hostOf(index)}:${port}/`,
    })),
    requests,
    network: "127.0.4.0/24",
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
