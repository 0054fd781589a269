/** An answer of DNS about a name. `failed` says nothing about the name: ask again later. */
export type DnsAnswer<Value> =
  | { readonly kind: "found"; readonly values: readonly Value[] }
  /** The name exists, but has no such record. */
  | { readonly kind: "none" }
  | { readonly kind: "no-domain" }
  | { readonly kind: "malformed" }
  | { readonly kind: "failed"; readonly reason: string };

export interface MailExchange {
  /** "" is the root, as in a null MX. */
  readonly exchange: string;
  readonly priority: number;
}

/**
 * The two DNS queries that show whether a domain accepts mail. No answer of DNS makes them throw.
 */
export interface MailResolver {
  mailExchanges(domain: string): Promise<DnsAnswer<MailExchange>>;
  /** IPv4 and IPv6. */
  addresses(domain: string): Promise<DnsAnswer<string>>;
}
