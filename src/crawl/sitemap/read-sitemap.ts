/**
 * Reads one file that lists pages: a sitemap, an index of sitemaps, RSS, Atom, or a list of lines,
 * packed or not. It is processed as it arrives, and reading ends as soon as there are enough pages,
 * because a large sitemap can take half an hour.
 */
import { StringDecoder } from "node:string_decoder";
import type { Fetcher, FetchOutcome, RequestHooks, Wish } from "../fetcher.ts";
import { BodyError, EnoughError, createUnpacker, type Unpacker } from "../unpack.ts";
import { attributeOf, createXmlScanner } from "./xml-scanner.ts";

export interface SitemapLimits {
  /** The limit of the file as sent, and as unpacked. The protocol's own limit is 50 MiB. */
  readonly bytesMax: number;
  readonly urlsMax: number;
  /** The most sitemaps taken from an index. */
  readonly childrenMax: number;
}

export const sitemapLimits: SitemapLimits = {
  bytesMax: 50 * 1024 * 1024,
  urlsMax: 50_000,
  childrenMax: 100,
};

export interface ReadSitemapOptions {
  readonly fetcher: Fetcher;
  readonly url: string;
  readonly limits?: Partial<SitemapLimits>;
  /** Called for each page that is found; "enough" ends the reading. */
  readonly onUrl: (url: string) => Wish;
  readonly request?: RequestHooks;
}

export interface SitemapFile {
  readonly outcome: FetchOutcome;
  readonly urls: number;
  /** The sitemaps in the file, if it is an index. */
  readonly children: readonly string[];
  /** There were more pages, sitemaps or bytes than the limits allow. */
  readonly isCut: boolean;
}

const urlCharsMax = 2_048;

export async function readSitemap(options: ReadSitemapOptions): Promise<SitemapFile> {
  const { fetcher, url, onUrl, request = {} } = options;
  const limits = { ...sitemapLimits, ...options.limits };
  const children = new Set<string>();
  let urls = 0;
  let isCut = false;
  let hasEnough = false;

  const list = createListReader({
    onPage(found) {
      if (hasEnough || found === "" || found.length > urlCharsMax) return;
      urls += 1;
      if (urls >= limits.urlsMax || onUrl(found) === "enough") hasEnough = true;
    },
    onChild(found) {
      if (found === "" || found.length > urlCharsMax) return;
      if (children.size < limits.childrenMax) children.add(found);
      else isCut = true;
    },
  });
  const take = (chunk: Uint8Array): Wish => {
    list.write(chunk);
    return hasEnough || isCut ? "enough" : "more";
  };
  const body = createPackedReader({ ...limits, take });
  const outcome = await fetcher.fetch({
    ...request,
    url,
    accept: "application/xml,text/xml,text/plain;q=0.9,*/*;q=0.1",
    limits: { ...request.limits, bytesMax: limits.bytesMax },
    onBody: (chunk) => body.write(chunk),
  });
  if (outcome.kind === "found" && !outcome.isCut) {
    const failed = await body.end();
    if (failed) return { outcome: failedAs(outcome, failed), urls, children: [...children], isCut };
    list.end();
  }
  const failure = body.failure();
  return {
    outcome: failure && outcome.kind === "found" ? failedAs(outcome, failure) : outcome,
    urls,
    children: [...children],
    isCut: isCut || hasEnough,
  };
}

const failedAs = (
  found: Extract<FetchOutcome, { kind: "found" }>,
  error: BodyError,
): FetchOutcome => ({
  kind: "failed",
  reason: error.reason,
  message: `${found.url}: ${error.message}`,
  url: found.url,
  hops: found.hops,
});

/** Most packed sitemaps are not declared as packed: detect them by the first two bytes. */
function createPackedReader({
  bytesMax,
  take,
}: {
  bytesMax: number;
  take: (chunk: Uint8Array) => Wish;
}) {
  let unpacker: Unpacker | undefined;
  let isFirst = true;
  let failure: BodyError | undefined;
  const enoughAt = (error: unknown): Wish => {
    if (error instanceof BodyError) failure = error;
    else if (!(error instanceof EnoughError)) throw error;
    unpacker?.close();
    return "enough";
  };
  return {
    write(chunk: Uint8Array): Wish | Promise<Wish> {
      if (isFirst) {
        isFirst = false;
        if (chunk[0] === 0x1f && chunk[1] === 0x8b) {
          const limits = { bytesMax, ratioMax: 500 };
          unpacker = createUnpacker({ packing: "gzip", limits, sink: take });
        }
      }
      if (!unpacker) return take(chunk);
      try {
        return unpacker.write(chunk)?.then((): Wish => "more", enoughAt) ?? "more";
      } catch (error) {
        return enoughAt(error);
      }
    },
    async end(): Promise<BodyError | undefined> {
      try {
        await unpacker?.end();
      } catch (error) {
        enoughAt(error);
      }
      return failure;
    },
    failure: () => failure,
  };
}

/** Prefixes of extensions whose `loc` is not a page, such as images and videos. */
const otherPrefixes = new Set(["image", "video", "news", "xhtml", "media", "mobile"]);

interface ListReader {
  write(chunk: Uint8Array): void;
  end(): void;
}

function createListReader(on: {
  readonly onPage: (url: string) => void;
  readonly onChild: (url: string) => void;
}): ListReader {
  const decoder = new StringDecoder("utf8");
  let within = "";
  let entryLink: string | undefined;
  const scanner = createXmlScanner({
    open(name, prefix, tag) {
      if (otherPrefixes.has(prefix)) return;
      if (["url", "sitemap", "item", "entry"].includes(name)) within = name;
      if (name !== "link" || within !== "entry") return;
      const relation = attributeOf(tag, "rel") ?? "alternate";
      if (relation === "alternate") entryLink ??= attributeOf(tag, "href");
    },
    close(name, prefix, text) {
      if (otherPrefixes.has(prefix)) return;
      if (name === "loc" && within === "url") on.onPage(text);
      else if (name === "loc" && within === "sitemap") on.onChild(text);
      else if (name === "link" && within === "item") on.onPage(text);
      else if (name === "entry" && entryLink !== undefined) on.onPage(entryLink);
      if (name === within) {
        within = "";
        entryLink = undefined;
      }
    },
  });
  let form: "unknown" | "xml" | "lines" = "unknown";
  let line = "";

  function writeLines(text: string): void {
    const parts = text.split(/\r\n|\r|\n/);
    for (const [index, part] of parts.entries()) {
      if (line.length <= urlCharsMax) line += part.slice(0, urlCharsMax + 1);
      if (index === parts.length - 1) return;
      endLine();
    }
  }
  function endLine(): void {
    const found = line.trim();
    line = "";
    if (/^https?:\/\//i.test(found)) on.onPage(found);
  }

  return {
    write(chunk) {
      const text = decoder.write(chunk as Buffer);
      if (form === "unknown") {
        const start = text.replace(/^[\s\ufeff]+/, "");
        if (start === "") return;
        form = start.startsWith("<") ? "xml" : "lines";
      }
      if (form === "xml") scanner.write(text);
      else writeLines(text.replace(/^\ufeff/, ""));
    },
    end() {
      if (form === "lines") endLine();
    },
  };
}
