import { loadPackage } from "../../base/process/load-package.ts";
import type { MailResolver } from "./mail-resolver.ts";

export interface MailDomainStatus {
  readonly status: "ok-domain" | "no-mail" | "disposable" | "malformed" | "unknown";
  /** `mx`, `address-only`, `null-mx`, `no-records`, `no-domain`, `list`, or why DNS gave no answer. */
  readonly because?: string;
}

/**
 * Whether a domain accepts mail, by DNS alone. In the order of RFC 5321 §5.1: its MX records; a
 * null MX (RFC 7505) says that it accepts none; without MX records mail goes to its address, which
 * is a weak sign, because most such hosts are web servers.
 */
export async function checkMailDomain(
  resolver: MailResolver,
  domain: string,
): Promise<MailDomainStatus> {
  if (isDisposable(domain)) return { status: "disposable", because: "list" };
  const mx = await resolver.mailExchanges(domain);
  switch (mx.kind) {
    case "found": {
      const takesMail = mx.values.some(({ exchange }) => exchange !== "" && exchange !== ".");
      if (takesMail) return { status: "ok-domain", because: "mx" };
      return { status: "no-mail", because: "null-mx" };
    }
    case "no-domain":
      return { status: "no-mail", because: "no-domain" };
    case "malformed":
      return { status: "malformed" };
    case "failed":
      return { status: "unknown", because: mx.reason };
    case "none":
      break;
  }
  const addresses = await resolver.addresses(domain);
  if (addresses.kind === "found") return { status: "ok-domain", because: "address-only" };
  if (addresses.kind === "failed") return { status: "unknown", because: addresses.reason };
  return { status: "no-mail", because: "no-records" };
}

let listed: ReadonlySet<string> | undefined;

/** 120,000 names. They are loaded when the first domain is checked. */
function disposableDomains(): ReadonlySet<string> {
  listed ??= new Set(loadPackage("disposable-email-domains") as readonly string[]);
  return listed;
}

/** The list has registered domains; services also use subdomains of them. */
function isDisposable(domain: string): boolean {
  const list = disposableDomains();
  const labels = domain.split(".");
  return labels.slice(0, -1).some((_, at) => list.has(labels.slice(at).join(".")));
}
