import type { BrowserContext, Route } from "playwright-core";
import { textOf } from "../../charset.ts";
import { fetchLimits, type Fetcher, type FetchRequest, type FetchFound } from "../../fetcher.ts";

export interface RenderOptions {
  readonly http: Fetcher;
  readonly found: FetchFound;
  readonly request: FetchRequest;
  readonly signal: AbortSignal;
  readonly partsMax: number;
  readonly settleMs: number;
}

export interface Rendered {
  readonly body: Uint8Array;
  readonly url: string;
  readonly wireBytes: number;
}

const notLoaded = new Set(
  "image media font texttrack eventsource websocket ping manifest".split(" "),
);
/** How many redirects by script are allowed. */
const navigationsMax = 3;

/** The page after its scripts have run. undefined: it is larger than allowed. */
export async function renderPage(
  context: BrowserContext,
  options: RenderOptions,
): Promise<Rendered | undefined> {
  const { http, found, request, signal, partsMax, settleMs } = options;
  const limits = { ...fetchLimits, ...request.limits };
  let leftBytes = limits.bytesMax;
  let wireBytes = found.bytes.wire;
  let parts = 0;
  let navigations = 0;

  async function answer(route: Route): Promise<void> {
    const asked = route.request();
    const isPage = asked.isNavigationRequest() && asked.frame().parentFrame() === null;
    if (isPage && navigations === 0) {
      navigations += 1;
      const contentType = "text/html; charset=utf-8";
      return route.fulfill({ status: 200, contentType, body: textOf(found).text });
    }
    const isTooMany = isPage ? ++navigations > navigationsMax : ++parts > partsMax;
    const isUnwanted = asked.method() !== "GET" || notLoaded.has(asked.resourceType());
    if (isUnwanted || isTooMany || leftBytes <= 0) return route.abort("blockedbyclient");
    const purpose = isPage ? "page" : "part";
    const got = await http.fetch({
      url: asked.url(),
      accept: asked.headers()["accept"] ?? "*/*",
      signal,
      limits: { ...request.limits, bytesMax: leftBytes },
      beforeRequest: (hop) => request.beforeRequest?.({ ...hop, purpose }) ?? "go",
      onSent: (hop) => request.onSent?.({ ...hop, purpose }),
      onAnswered: (hop) => request.onAnswered?.({ ...hop, purpose }),
    });
    if (got.kind !== "found") return route.abort("failed");
    leftBytes -= got.bytes.unpacked;
    wireBytes += got.bytes.wire;
    const contentType = got.contentType ?? "application/octet-stream";
    const headers = { "content-type": contentType, "access-control-allow-origin": "*" };
    return route.fulfill({ status: 200, headers, body: Buffer.from(got.body) });
  }

  // A closed page cannot be answered any more; ignore that.
  const abort = (route: Route) => route.abort().catch(() => {});
  await context.route("**/*", (route) => answer(route).catch(() => abort(route)));
  const page = await context.newPage();
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => {}));
  await page.goto(found.url, { waitUntil: "domcontentloaded", timeout: limits.totalMs });
  // A page that never becomes idle is used as it is.
  await page.waitForLoadState("networkidle", { timeout: settleMs }).catch(() => {});
  const body = Buffer.from(await page.content());
  return body.length > limits.bytesMax ? undefined : { body, wireBytes, url: page.url() };
}
