/** What DNS says of a name. A `failed` answer says nothing about the name: ask again later. */
export type DnsAnswer<Value> =
  | { readonly kind: "found"; readonly values: readonly Value[] }
  /** The name exists, and has no such record. */
  | { readonly kind: "none" }
  | { readonly kind: "no-domain" }
  | { readonly kind: "malformed" }
  | { readonly kind: "failed"; readonly reason: string };

export interface MailExchange {
  /** "" is the root: of a null MX. */
  readonly exchange: string;
  readonly priority: number;
}

/** The two questions of DNS that tell whether a domain takes mail. Never throws for an answer of DNS. */
export interface MailResolver {
  mailExchanges(domain: string): Promise<DnsAnswer<MailExchange>>;
  /** IPv4 and IPv6. */
  addresses(domain: string): Promise<DnsAnswer<string>>;
}
