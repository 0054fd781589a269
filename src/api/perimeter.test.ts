import { expect, test } from "vitest";
import { checkOrigin } from "./perimeter.ts";

type Headers = Readonly<Record<string, string>>;

const statusOf = (method: string, path: string, headers: Headers): number => {
  const request = {
    method,
    path,
    header: (name: string) => ({ host: "127.0.0.1:4870", ...headers })[name],
    localAddress: "127.0.0.1",
  };
  try {
    checkOrigin(request, { listenHost: "127.0.0.1", names: ["pi.lan"] });
    return 200;
  } catch (error) {
    return (error as { status: number }).status;
  }
};

const own = "http://127.0.0.1:4870";

test.each<[string, number, Headers]>([
  ["a name that resolves to us (DNS rebinding)", 421, { host: "evil.example:4870", origin: "http://evil.example:4870" }], // prettier-ignore
  ["a name from the settings", 200, { host: "pi.lan:4870" }],
  ["localhost", 200, { host: "localhost:4870" }],
  ["another page's JSON", 403, { "sec-fetch-site": "cross-site", origin: "http://evil.example" }],
  ["a page on another port of this machine", 403, { "sec-fetch-site": "same-site", origin: "http://127.0.0.1:8080" }], // prettier-ignore
  ["an old browser's page of another origin", 403, { origin: "http://evil.example" }],
  ["an origin that hides itself", 403, { "sec-fetch-site": "same-origin", origin: "null" }],
  ["our own page", 200, { "sec-fetch-site": "same-origin", origin: own, cookie: "a=b" }],
  ["our own page in an old browser", 200, { origin: own, cookie: "a=b" }],
  ["a program without a cookie", 200, {}],
  ["a cookie, and no word of where from", 403, { cookie: "a=b" }],
])("a write of %s: %i", (_, status, headers) => {
  expect(statusOf("POST", "/api/session/links", headers)).toBe(status);
});

test.each<[string, string, number, Headers]>([
  ["the API by an image of another page", "/api/companies", 403, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }], // prettier-ignore
  ["the API by a link of another page", "/api/companies", 403, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }], // prettier-ignore
  ["the dashboard by a link of another page", "/companies", 200, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }], // prettier-ignore
  ["the dashboard in a frame", "/", 403, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }], // prettier-ignore
  ["the API by our own page", "/api/companies", 200, { "sec-fetch-site": "same-origin" }],
  ["the API by the address bar", "/api/companies", 200, { "sec-fetch-site": "none" }],
])("a read of %s: %s gives %i", (_, path, status, headers) => {
  expect(statusOf("GET", path, headers)).toBe(status);
});
