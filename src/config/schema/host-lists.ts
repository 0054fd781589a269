import { isIP } from "node:net";
import * as z from "zod";

/** Host names separated by commas, or empty. */
export function hostNames() {
  const error = "names of hosts such as pi-3,metrics.example.org, separated by commas";
  const isName = (text: string) => /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/i.test(text);
  return z
    .string({ error })
    .refine((text) => text === "" || text.split(",").every(isName), { error });
}

/** Hosts in the form that `ssh` accepts, separated by commas, or empty. */
export function sshHosts() {
  const error = "hosts such as pi-1,pi@10.0.0.8, separated by commas";
  const isHost = (text: string) => /^[a-z0-9_[][\w.@:%[\]-]{0,252}$/i.test(text);
  return z
    .string({ error })
    .refine((text) => text === "" || text.split(",").every(isHost), { error });
}

/** Addresses or networks separated by commas, or empty. */
export function networks() {
  const error = "addresses or networks such as 127.0.0.1,10.0.0.0/8, separated by commas";
  const isNetwork = (text: string) => {
    const [address = "", length, ...rest] = text.split("/");
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const isLength = length === undefined || (/^\d+$/.test(length) && Number(length) <= bits);
    return bits > 0 && isLength && rest.length === 0;
  };
  return z
    .string({ error })
    .refine((text) => text === "" || text.split(",").every(isNetwork), { error });
}
