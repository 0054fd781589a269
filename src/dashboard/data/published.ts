/**
 * Tells if this page is a published site: static files instead of a server. Then all data is read
 * from files, and nothing can be changed. The fragment of the address contains the current page and
 * the key of a sealed site: browsers do not send fragments to the host.
 */
import { signal } from "@preact/signals";
import type { ApiResponse } from "../../api/client/api-client.ts";
import type { SiteFault, SiteReader } from "../../publish/reader/site-reader.ts";

export const isPublished = document.querySelector("meta[name=forager-published]") !== null;

export const siteFault = signal<SiteFault["reason"] | undefined>(undefined);

/**
 * Values that a public site leaves out of all companies, such as `emails`. Set before anything is
 * rendered.
 */
export const leftOutValues = signal<ReadonlySet<string>>(new Set());

/** False if the site leaves these values out, so it is not known whether a company has one. */
export const hasValues = (what: "emails" | "phones"): boolean => !leftOutValues.value.has(what);

/** `#k=KEY/companies?words=x`: the key, then the page. */
export function readFragment(): { readonly key: string; readonly page: string } {
  const [, key = "", page = ""] = /^#(?:k=([^/]*))?(.*)$/s.exec(location.hash) ?? [];
  return { key, page: page.startsWith("/") ? page : "/" };
}

/** The address of a page of the site. */
export function fragmentOf(page: string): string {
  const { key } = readFragment();
  return `#${key === "" ? "" : `k=${key}`}${page}`;
}

let opening: Promise<SiteReader> | undefined;

/**
 * Opens the site once. Its code is loaded only here, so it does not enlarge the dashboard of a
 * server.
 */
export function openPublished(): Promise<SiteReader> {
  opening ??= (async () => {
    const { openSite } = await import("../../publish/reader/site-reader.ts");
    return openSite({ fetchFile, key: readFragment().key, nowMs: () => Date.now(), shown });
  })();
  return opening;
}

/** Resolves when the browser has painted, which it never does in a hidden tab. */
const shown = () =>
  new Promise<void>((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });

async function fetchFile(path: string, { isFresh }: { readonly isFresh: boolean }) {
  const url = new URL(path, location.href.replace(/#.*$/s, ""));
  const response = await fetch(url, { cache: isFresh ? "no-cache" : "default" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Returns the same response as the server. */
export async function answerFromSite(url: string): Promise<ApiResponse> {
  const [path = "", query = ""] = url.split("?");
  const site = await openPublished();
  const { status, text } = await site.answer(path, new URLSearchParams(query));
  const ok = status < 400;
  return { ok, status, headers: { get: () => null }, text: async () => text };
}

interface Download {
  readonly format: string;
  readonly type: string;
  readonly parts: readonly string[];
}

/** Assembles the parts of a download in the browser, and saves the file. */
export async function saveDownload(name: string, { format, type, parts }: Download): Promise<void> {
  const site = await openPublished();
  const texts: string[] = [];
  for (const part of parts) texts.push(await site.readPart(part));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(texts, { type: `${type};charset=utf-8` }));
  link.download = `${name}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
