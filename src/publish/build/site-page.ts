import { AppError } from "../../base/app-error.ts";

/**
 * Nothing is loaded from elsewhere, and nothing runs that we did not ship. A page in a meta tag cannot forbid to be
 * framed: whoever serves the site can, with a header.
 */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The page of the dashboard as the page of a site: paths are relative, so that any folder of any host will do. */
export function sitePage(html: string): string {
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy}" />`,
    `<meta name="forager-published" content="1" />`,
  ].join("\n    ");
  const charset = '<meta charset="utf-8" />';
  if (!html.includes(charset)) {
    throw new AppError("corrupt", "dashboard_page", "the page of the dashboard is not as this version knows it: install Forager again"); // prettier-ignore
  }
  return html
    .replace(charset, `${charset}\n    ${head}`)
    .replaceAll(/(href|src)="\/assets\//g, '$1="assets/');
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  json: "application/json; charset=utf-8",
};

/** Browsers refuse scripts and styles of another type. */
export const typeOfFile = (path: string): string =>
  types[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
