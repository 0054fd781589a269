import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sleep, systemClock } from "../../../../base/clock.ts";

/** An element of OpenStreetMap; nodes have lat and lon, others a center. */
export interface FakeElement {
  readonly type: "node" | "way" | "relation";
  readonly id: number;
  readonly lat?: number;
  readonly lon?: number;
  readonly center?: { readonly lat: number; readonly lon: number };
  readonly tags: Readonly<Record<string, string>>;
}

/** How a request fails. */
export type Fault =
  | "429" | "duplicate" | "504" | "400" | "406" | "html" | "empty" | "cut" | "half" | "reset" | "silence" | "timed out" | "out of memory"
  | "other remark"; // prettier-ignore

export interface FakeRequest {
  readonly at: number;
  readonly query: string;
  readonly userAgent: string;
  readonly status: number;
}

/**
 * An Overpass server over HTTP with the faults of real ones: see the list. It knows only the
 * queries of this project: anything else is a syntax error.
 */
export interface FakeOverpass extends AsyncDisposable {
  readonly url: string;
  readonly requests: FakeRequest[];
  readonly statusRequests: number;
  /** The largest number of requests in flight at once. */
  readonly atOnceMax: number;
  /** Faults of the next requests, one each. */
  readonly faults: Fault[];
  /** The fault of every request. */
  always: Fault | undefined;
  /** A box with more elements is too much. */
  elementsMax: number;
  dataTime: string;
  slots: { rateLimit: number; free: number; nextInS: number };
  /** How long an answer takes. */
  answerMs: number;
  /** The text of the status page; undefined: the normal one. */
  statusText: string | undefined;
}

export async function startFakeOverpass(elements: readonly FakeElement[]): Promise<FakeOverpass> {
  const running = new Set<string>();
  let [atOnce, atOnceMax, statusRequests] = [0, 0, 0];
  const requests: FakeRequest[] = [];

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, "http://fake");
    if (pathname === "/api/status") {
      statusRequests += 1;
      response.setHeader("content-type", "text/plain");
      return response.end(fake.statusText ?? statusText(fake.slots));
    }
    if (pathname !== "/api/interpreter") return page(response, 404, "Not Found");
    const query = searchParams.get("data") ?? "";
    const fault = fake.faults.shift() ?? fake.always;
    const userAgent = request.headers["user-agent"] ?? "";
    atOnce += 1;
    atOnceMax = Math.max(atOnceMax, atOnce);
    try {
      if (running.has(query)) return page(response, 429, "duplicate_query");
      running.add(query);
      await sleep(systemClock, fake.answerMs);
      if (!/\(\+.*@|\(\+http/.test(userAgent)) return page(response, 406, "Not Acceptable");
      respond(response, query, fault);
    } finally {
      running.delete(query);
      atOnce -= 1;
      const status = response.statusCode;
      requests.push({ at: systemClock.monotonicMs(), query, userAgent, status });
    }
  };

  const respond = (response: ServerResponse, query: string, fault: Fault | undefined) => {
    const found = select(elements, query);
    if (found === undefined || fault === "400") return page(response, 400, "parse error");
    if (fault === "429") return page(response, 429, "Please check status for the quota of your IP");
    if (fault === "duplicate") {
      response.setHeader("retry-after", "90");
      return page(response, 429, "duplicate_query");
    }
    if (fault === "504") return page(response, 504, "The server is probably too busy");
    if (fault === "406") return page(response, 406, "Not Acceptable");
    if (fault === "html") return page(response, 200, "The dispatcher is turned off.");
    if (fault === "reset") return void response.destroy();
    if (fault === "silence") return;
    const isTooMuch = found.length > fake.elementsMax;
    const remark =
      fault === "timed out" || isTooMuch
        ? 'runtime error: Query timed out in "query" at line 1 after 60 seconds.'
        : fault === "out of memory"
          ? "runtime error: Query run out of memory using about 2048 MB of RAM."
          : fault === "other remark"
            ? "note: this server is an example"
            : undefined;
    const isPart = remark?.startsWith("runtime error") === true;
    const text = JSON.stringify({
      version: 0.6,
      generator: "Overpass API",
      osm3s: { timestamp_osm_base: fake.dataTime, copyright: "ODbL" },
      elements: isPart ? found.slice(0, 1) : found,
      ...(remark !== undefined && { remark }),
    });
    response.setHeader("content-type", "application/json");
    if (fault === "half") {
      response.setHeader("content-length", text.length);
      return void response.write(text.slice(0, -30), () => response.destroy());
    }
    response.end(fault === "empty" ? "" : fault === "cut" ? text.slice(0, -30) : text);
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeOverpass = {
    url: `http://127.0.0.1:${port}/api/interpreter`,
    requests,
    get statusRequests() {
      return statusRequests;
    },
    get atOnceMax() {
      return atOnceMax;
    },
    faults: [],
    always: undefined,
    elementsMax: Infinity,
    dataTime: new Date(systemClock.nowMs()).toISOString(),
    slots: { rateLimit: 2, free: 2, nextInS: 0 },
    answerMs: 0,
    statusText: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function page(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(
    `<html><head><title>OSM3S Response</title></head><body><p>${text}</p></body></html>`,
  );
}

const statusText = ({ rateLimit, free, nextInS }: FakeOverpass["slots"]): string =>
  [
    "Connected as: 1",
    `Current time: ${new Date(systemClock.nowMs()).toISOString()}`,
    "Announced endpoint: none",
    `Rate limit: ${rateLimit}`,
    ...(rateLimit > 0 && free > 0 ? [`${free} slots available now.`] : []),
    ...(rateLimit > 0 && free === 0
      ? [`Slot available after: ${new Date(systemClock.nowMs() + nextInS * 1_000).toISOString()}, in ${nextInS} seconds.`]
      : []),
    "Currently running queries (pid, space limit, time limit, start time):",
    "",
  ].join("\n"); // prettier-ignore

/** Undefined: a syntax error. Boxes include all of their edges, as those of Overpass. */
function select(elements: readonly FakeElement[], query: string): FakeElement[] | undefined {
  const [, type, id] = /;(node|way|relation)\((\d+)\);out (?:tags center|ids);$/.exec(query) ?? [];
  if (type !== undefined)
    return elements.filter((one) => one.type === type && one.id === Number(id));
  const [, text] = /^\[out:json\]\[timeout:\d+\]\[maxsize:\d+\]\[bbox:([^\]]+)\];\((?:nwr(?:\[!?\w+\])+;)+\);out tags center qt;$/.exec(query) ?? []; // prettier-ignore
  if (text === undefined) return undefined;
  const [south = 0, west = 0, north = 0, east = 0] = text.split(",").map(Number);
  if (![south, west, north, east].every(Number.isFinite)) return undefined;
  const clauses = [...query.matchAll(/nwr((?:\[!?\w+\])+);/g)].map(([, keys]) =>
    [...keys!.matchAll(/\[(!?)(\w+)\]/g)].map(([, not, key]) => ({
      isNot: not === "!",
      key: key!,
    })),
  );
  return elements.filter(({ lat, lon, center, tags }) => {
    const [latitude, longitude] = [lat ?? center?.lat ?? NaN, lon ?? center?.lon ?? NaN];
    const isInside =
      latitude >= south && latitude <= north && longitude >= west && longitude <= east;
    return (
      isInside && clauses.some((keys) => keys.every(({ isNot, key }) => key in tags !== isNot))
    );
  });
}
