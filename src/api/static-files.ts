import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

export interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Absent if compression saves nothing. */
  readonly gzip: Uint8Array | undefined;
  readonly etag: string;
  /** True if the file name changes with the content. */
  readonly isImmutable: boolean;
}

export interface StaticFiles {
  /** The file for a path; for a route of the single-page app, index.html. */
  find(path: string): StaticFile | undefined;
  readonly count: number;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

const filesMax = 5_000;

/**
 * The built dashboard as a fixed map from path to file, read once. A request either matches a key
 * of the map or finds nothing, so no path can leave the folder. Other file types are not served.
 */
export function openStaticFiles(folder: string): StaticFiles {
  const paths = listFiles(folder).slice(0, filesMax);
  const known = new Map(paths.map((path) => [`/${path}`, path]));
  const read = new Map<string, StaticFile>();
  const open = (path: string): StaticFile => {
    const found = read.get(path);
    if (found) return found;
    const file = readFile(folder, path);
    read.set(path, file);
    return file;
  };
  return {
    count: known.size,
    find(path) {
      const own = known.get(path);
      if (own !== undefined) return open(own);
      const isPage = !/\.\w+$/.test(path);
      return isPage && known.has("/index.html") ? open("index.html") : undefined;
    },
  };
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && Object.hasOwn(types, extname(entry.name)))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .map((path) => path.replaceAll("\\", "/"))
      .toSorted();
  } catch {
    return []; // the dashboard was not built
  }
}

const compressMin = 500;

function readFile(folder: string, path: string): StaticFile {
  const bytes = readFileSync(join(folder, path));
  const extension = extname(path);
  const isText = !/\.(?:png|woff2|ico)$/.test(path);
  const gzip = isText && bytes.byteLength >= compressMin ? gzipSync(bytes) : undefined;
  return {
    type: types[extension]!,
    bytes,
    gzip: gzip && gzip.byteLength < bytes.byteLength ? gzip : undefined,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    isImmutable: /[-.][\w]{8,}\.\w+$/.test(path) && extension !== ".html",
  };
}

/** A simple page, shown if the dashboard was not built and for a link that was used already. */
export function plainPage(
  title: string,
  text: string,
  link?: { readonly href: string; readonly text: string },
): string {
  const anchor = link ? `<p><a href="${escape(link.href)}">${escape(link.text)}</a></p>` : "";
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escape(title)}</title><h1>${escape(title)}</h1><p>${escape(text)}</p>${anchor}</html>\n`;
}

const escape = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
