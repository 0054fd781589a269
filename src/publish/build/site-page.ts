import { AppError } from "../../base/app-error.ts";

/**
 * Nothing is loaded from other servers, and only our own scripts run. A meta tag cannot forbid
 * framing; a header of the web server can.
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

/**
 * Turns the dashboard's page into the page of a site: paths become relative, so that the site works
 * in any folder of any server.
 */
export function sitePage(html: string): string {
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy}" />`,
    `<meta name="forager-published" content="1" />`,
  ].join("\n    ");
  const charset = '<meta charset="utf-8" />';
  if (!html.includes(charset)) {
    throw new AppError("corrupt", "dashboard_page", "the dashboard's page has an unexpected form: install Forager again"); // prettier-ignore
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

/** Browsers refuse scripts and styles with a wrong media type. */
export const typeOfFile = (path: string): string =>
  types[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
