import { isIP } from "node:net";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Numeric addresses only: `10.0.0.7:9999`, `[fe80::1]:9999`. Returns undefined for other text. */
export function parseAddress(text: string): Address | undefined {
  const [, six, four, portText = ""] =
    /^(?:\[([0-9a-fA-F:.]{2,45}(?:%[0-9A-Za-z._-]{1,15})?)\]|([0-9.]{7,15})):(\d{1,5})$/.exec(
      text,
    ) ?? [];
  const host = six ?? four ?? "";
  const port = Number(portText);
  if (port < 1 || port > 65_535 || isIP(host) !== (six === undefined ? 4 : 6)) return undefined;
  return { host, port };
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether packets to this address cannot leave this machine. */
export function isLoopback(address: string): boolean {
  const host = parseAddress(address)?.host;
  return host !== undefined && (host.startsWith("127.") || host === "::1");
}
