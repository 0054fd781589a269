import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, request, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** Claims of an ID token that a test changes before the server gets it. */
export type Tampered = Readonly<Record<string, unknown>>;

export interface TestProvider {
  readonly issuer: string;
  /** The groups of people, by subject. */
  readonly groups: Map<string, readonly string[]>;
  /** Wrong contents for the next ID tokens. */
  tamper: {
    readonly claims?: Tampered;
    readonly isOtherKey?: boolean;
    readonly isUnsigned?: boolean;
    /** The subject that the userinfo endpoint returns. */
    readonly userInfoSubject?: string;
  };
  /** How often the provider asked for a password. */
  readonly asked: () => number;
  /** The lifetime of a code. */
  codeSeconds: number;
  /** Starts answering; allows this redirect URI. */
  register(redirectUri: string): void;
  stop(): Promise<void>;
  /** True: it closes every connection. */
  isAway: boolean;
}

export const testClient = { id: "forager-test", secret: "a secret of the test client" };

/** The settings of a server that uses this provider. */
export const oidcEnv = ({ issuer }: Pick<TestProvider, "issuer">) => ({
  FORAGER_OIDC_ISSUER: issuer,
  FORAGER_OIDC_CLIENT_ID: testClient.id,
  FORAGER_OIDC_CLIENT_SECRET: testClient.secret,
  FORAGER_OIDC_ROLES: "staff=viewer,cn=leads=operator,admins=admin",
});

/** A real OpenID Connect provider on loopback that accepts every user without a password. */
export async function openOidcProvider(): Promise<TestProvider> {
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const kid = "test-key";
  let handle: ReturnType<Provider["callback"]> | undefined;
  const server = createServer((request, response) => {
    if (state.isAway) request.socket.destroy();
    else void handle!(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const groups = new Map<string, readonly string[]>();
  let asked = 0;

  const createProvider = (redirectUri: string) =>
    new Provider(issuer, {
      clients: [
        { client_id: testClient.id, client_secret: testClient.secret, redirect_uris: [redirectUri], token_endpoint_auth_method: "client_secret_post" }, // prettier-ignore
      ],
      jwks: {
        keys: [{ ...key.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" } as never],
      },
      cookies: { keys: ["of the test"] },
      claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
      ttl: { AuthorizationCode: () => state.codeSeconds, Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600 }, // prettier-ignore
      findAccount: (_, subject) => ({
        accountId: subject,
        claims: async () => ({
          sub: subject,
          preferred_username: subject.split("-")[0],
          groups: [...(groups.get(subject) ?? [])],
        }),
      }),
      // Nobody is asked for consent.
      async loadExistingGrant(ctx) {
        const grant = new ctx.oidc.provider.Grant({
          clientId: ctx.oidc.client!.clientId,
          accountId: ctx.oidc.session!.accountId!,
        });
        grant.addOIDCScope("openid profile email");
        await grant.save();
        return grant;
      },
    });
  const state: TestProvider = {
    issuer,
    groups,
    tamper: {},
    asked: () => asked,
    codeSeconds: 600,
    register(redirectUri) {
      const provider = createProvider(redirectUri);
      provider.use(tamper);
      handle = provider.callback();
    },
    isAway: false,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const tamper: Parameters<Provider["use"]>[0] = async (ctx, next) => {
    if (ctx.method === "POST" && ctx.path.startsWith("/interaction/")) asked += 1;
    await next();
    const body = ctx.body as Record<string, unknown> | undefined;
    const { claims, isOtherKey, isUnsigned, userInfoSubject } = state.tamper;
    if (ctx.path === "/me" && userInfoSubject !== undefined) ctx.body = { ...body, sub: userInfoSubject }; // prettier-ignore
    if (ctx.path !== "/token" || typeof body?.["id_token"] !== "string") return;
    if (!claims && !isOtherKey && !isUnsigned) return;
    const payload = { ...payloadOf(body["id_token"]), ...claims };
    const header = isUnsigned ? { alg: "none" } : { alg: "RS256", kid };
    body["id_token"] = sign(header, payload, isUnsigned ? undefined : isOtherKey ? other : key);
  };
  return state;
}

const payloadOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as Tampered;

function sign(header: Tampered, payload: Tampered, key: KeyObject | undefined): string {
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join("."); // prettier-ignore
  if (!key) return `${text}.`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(key).toString("base64url")}`;
}

export interface TestBrowser {
  /** Sends one request with the cookies of its origin. Does not follow redirects. */
  visit(url: string, form?: Readonly<Record<string, string>>): Promise<Visited>;
  /** The cookies that it sends to an origin. */
  cookies(origin: string): string;
  setCookies(origin: string, cookies: string): void;
  /**
   * Goes from the dashboard through the provider, and returns the callback URL without visiting it.
   */
  signInAtProvider(start: string, subject: string): Promise<string>;
}

export interface Visited {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

const hopsMax = 10;

/** Handles cookies and redirects like a browser. */
export function openTestBrowser(): TestBrowser {
  const jars = new Map<string, Map<string, string>>();
  const browser: TestBrowser = {
    async visit(url, form) {
      const { origin } = new URL(url);
      const answer = await navigate(url, browser.cookies(origin), form);
      const jar = jars.get(origin) ?? new Map<string, string>();
      jars.set(origin, jar);
      for (const line of answer.headers["set-cookie"] ?? []) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === "") jar.delete(name);
        else jar.set(name, value);
      }
      const { location } = answer.headers;
      return {
        ...answer,
        location: location === undefined ? null : new URL(location, url).href,
      };
    },
    cookies: (origin) =>
      [...(jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; "),
    setCookies(origin, cookies) {
      const pairs = cookies.split("; ").filter((pair) => pair !== "");
      jars.set(origin, new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]))); // prettier-ignore
    },
    async signInAtProvider(start, subject) {
      let url = start;
      for (let hop = 0; hop < hopsMax; hop++) {
        const isForm = new URL(url).pathname.startsWith("/interaction/");
        const form = isForm ? { prompt: "login", login: subject, password: "any" } : undefined;
        const { status, location, text } = await browser.visit(url, form);
        if (location === null) throw new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
        if (new URL(location).pathname === "/login/callback") return location;
        url = location;
      }
      throw new Error(`no way back after ${hopsMax} redirects`);
    },
  };
  return browser;
}

/** Sends the headers of a browser that follows a link; `fetch` sends those of a script. */
function navigate(url: string, cookie: string, form: Readonly<Record<string, string>> | undefined) {
  const headers = {
    cookie,
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    ...(form && { "content-type": "application/x-www-form-urlencoded" }),
  };
  const options = { method: form ? "POST" : "GET", headers, agent: false };
  return new Promise<Omit<Visited, "location">>((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.once("end", () =>
        resolve({ status: answer.statusCode!, text, headers: answer.headers }),
      );
    });
    sent.once("error", reject);
    sent.end(form && new URLSearchParams(form).toString());
  });
}
