import { promises as dns } from "node:dns";
import { isIP } from "node:net";
import { AppError } from "../../../base/app-error.ts";
import type { DnsAnswer, MailResolver } from "../../mail/mail-resolver.ts";

export interface DnsMailResolverOptions {
  /** `1.1.1.1`, `127.0.0.1:5353` or `[::1]:53`; absent: the system's servers. */
  readonly server?: string | undefined;
  /** The limit for one query to one server; each query is sent twice at most. */
  readonly timeoutMs?: number;
  /** Ends open queries. */
  readonly signal?: AbortSignal;
}

/** MailResolver by node:dns. */
export function createDnsMailResolver(options: DnsMailResolverOptions = {}): MailResolver {
  const { server, timeoutMs = 3_000, signal } = options;
  const resolver = new dns.Resolver({ timeout: timeoutMs, tries: 2 });
  if (server !== undefined) setServer(resolver, server);
  signal?.addEventListener("abort", () => resolver.cancel(), { once: true });
  return {
    mailExchanges: (domain) => answerOf(domain, () => resolver.resolveMx(domain)),
    async addresses(domain) {
      const found = await answerOf(domain, () => resolver.resolve4(domain));
      return found.kind === "none" ? answerOf(domain, () => resolver.resolve6(domain)) : found;
    },
  };
}

function setServer(resolver: dns.Resolver, server: string): void {
  try {
    resolver.setServers([isIP(server) === 6 ? `[${server}]` : server]);
  } catch (cause) {
    const message = `mail.dnsServer must be a numeric address, such as 1.1.1.1 or 127.0.0.1:5353, not '${server}'`;
    throw new AppError("invalid", "dns_server", message, { cause });
  }
}

const nameMax = 253;

async function answerOf<Value>(
  domain: string,
  ask: () => Promise<readonly Value[]>,
): Promise<DnsAnswer<Value>> {
  if (domain.length > nameMax || !domain.includes(".")) return { kind: "malformed" };
  try {
    const values = await ask();
    return values.length > 0 ? { kind: "found", values } : { kind: "none" };
  } catch (error) {
    const { code = "error" } = error as NodeJS.ErrnoException;
    if (code === "ENODATA") return { kind: "none" };
    if (code === "ENOTFOUND") return { kind: "no-domain" };
    if (code === "EBADNAME") return { kind: "malformed" };
    if (/^E[A-Z]+$/.test(code)) return { kind: "failed", reason: code.slice(1).toLowerCase() };
    throw error;
  }
}
