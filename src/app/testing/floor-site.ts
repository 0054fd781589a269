/** A small site of a flooring company, and responses for building others. */
import type { SiteAnswer } from "../../crawl/testing/site-server.ts";

export const html =
  (body: string, headers: Readonly<Record<string, string>> = {}, status = 200): SiteAnswer =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
export const page = (title: string, body: string, headers = {}) =>
  html(`<html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`, headers);
export const text =
  (body: string): SiteAnswer =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "text/plain" }).end(body);
export const status =
  (code: number, headers = {}): SiteAnswer =>
  (_, response) =>
    void response.writeHead(code, headers).end("no");

export const words = "We lay floors of oak, ash and beech in every house of the town. ".repeat(5);
export const withContact = {
  "/": page("Home", `<p>${words}</p><footer><a href="/contact">Contact</a></footer>`),
  "/contact": page("Contact", `<p>${words}</p><a href="mailto:info@acme-floors.com">mail</a>`),
};
/** The field that its contact page leads to. */
export const email = "email/info@acme-floors.com";
