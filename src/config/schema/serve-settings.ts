import * as z from "zod";
import { parseUrl } from "../../base/text/parse-url.ts";
import { hostNames, networks } from "./host-lists.ts";
import { isSecret, type Secret } from "../secrets/secret.ts";
import { settingMeta, text, webOrigin, wholeNumber } from "./setting-schemas.ts";

/** The HTTP API and the dashboard. */
export const serveSettings = z.strictObject({
  listen: text("HOST:PORT, or off").default("127.0.0.1:4870").register(settingMeta, {
    description: "where `forager serve` and `forager up` serve API and dashboard; off: up does not",
  }),
  names: hostNames().default("").register(settingMeta, {
    isList: true,
    description:
      "host names that requests to serve.listen may use, in addition to its address: pi-3,pi-3.lan",
  }),
  publicUrl: webOrigin().optional().register(settingMeta, {
    description: "where people reach the server, such as https://forager.example: links begin so",
  }),
  certFile: text("the path of a file").optional().register(settingMeta, {
    description: "certificate with its chain in PEM; enables https",
    form: "folder",
  }),
  keyFile: text("the path of a file").optional().register(settingMeta, {
    description: "private key of serve.certFile in PEM, readable for this user alone",
    form: "folder",
  }),
  proxies: networks().default("").register(settingMeta, {
    isList: true,
    description: "proxies in front of the server: X-Forwarded-For and -Proto count from these only",
  }),
  environment: text("a short name").optional().register(settingMeta, {
    description: "badge on every page of the dashboard, such as prod; default: environment",
  }),
  mapTileUrl: tileUrl().optional().register(settingMeta, {
    description:
      "map pictures of another server: https://HOST/{z}/{x}/{y}.png; default: our own map",
  }),
  mapTileCredit: text("the credit that this server asks for").optional().register(settingMeta, {
    description: "credit shown for serve.mapTileUrl, such as © OpenStreetMap contributors",
  }),
  sessionIdleMinutes: wholeNumber(1, 525_600).default(720).register(settingMeta, {
    description: "minutes without a request after which a session ends",
  }),
  sessionHours: wholeNumber(1, 8_760).default(168).register(settingMeta, {
    description: "hours after which a session ends, however much it is used",
  }),
});

/** Sign-in with an identity provider, by OpenID Connect. */
export const oidcSettings = z.strictObject({
  issuer: issuer().optional().register(settingMeta, {
    description: "identity provider that people sign in with, such as https://login.example.org",
  }),
  clientId: text("the name of a client").optional().register(settingMeta, {
    description: "client id of this server at the identity provider",
  }),
  clientSecret: z.custom<Secret>(isSecret).optional().register(settingMeta, {
    description: "client secret of this server at the identity provider: { file = … } or others",
    form: "secret",
  }),
  scopes: text("words separated by spaces").default("openid profile email").register(settingMeta, {
    description: "scopes to request; some providers send groups only with `groups`",
  }),
  groupsClaim: text("the name of a claim").default("groups").register(settingMeta, {
    description: "claim that names the groups of a person, such as groups or realm_access.roles",
  }),
  roles: groupRoles().default("").register(settingMeta, {
    isList: true,
    description: "GROUP=ROLE, the role of each group: staff=viewer,forager-admins=admin",
  }),
});

/**
 * The host becomes part of the content policy, so it is checked more strictly than a browser would:
 * a name without wildcards and user names.
 */
function tileUrl() {
  const error =
    "a web address with {z}, {x} and {y}, such as https://tiles.example/{z}/{x}/{y}.png";
  const isTemplate = (text: string) => {
    const url = parseUrl(text);
    return (
      url !== undefined &&
      /^https?:\/\/[\w.-]+(?::\d+)?\/[^\s"'<>\\]*$/i.test(text) &&
      ["{z}", "{x}", "{y}"].every((part) => text.includes(part))
    );
  };
  return z.string({ error }).refine(isTemplate, { error });
}

/** Must be https, except on this machine. May have a path. */
function issuer() {
  const error = "an https:// address without ? and #; http:// only on this machine";
  const isIssuer = (text: string) => {
    const url = parseUrl(text);
    if (!url || url.search !== "" || url.hash !== "" || url.username !== "") return false;
    return url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname));
  };
  return z.string({ error }).refine(isIssuer, { error });
}

const isThisMachine = (host: string) => /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/.test(host);

/** The last `=` separates, because the name of a group may contain others. */
function groupRoles() {
  const error = "GROUP=ROLE separated by commas, with a role of viewer, editor, operator, admin";
  const isPair = (text: string) => /^.+=(?:viewer|editor|operator|admin)$/.test(text);
  return z
    .string({ error })
    .refine((text) => text === "" || text.split(",").every(isPair), { error });
}
