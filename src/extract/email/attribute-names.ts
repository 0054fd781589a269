/** Data attributes that are called after what they hold. */
export const namesAddress = /mail|addr|contact|cloak|encod|obfus|protect|crypt|href|link/;

export const localNames = [
  "user",
  "name",
  "local",
  "localpart",
  "u",
  "account",
  "mailbox",
  "part1",
  "first",
  "before",
  "id",
  "login",
  "username",
  "mail-user",
  "email-user",
  "email-name",
].map(inData);
export const domainNames = [
  "domain",
  "host",
  "d",
  "server",
  "website",
  "part2",
  "second",
  "after",
  "site",
  "at",
  "mail-domain",
  "email-domain",
  "hostname",
].map(inData);
export const suffixNames = ["tld", "suffix", "ext", "part3", "t", "zone", "email-tld"].map(inData);

function inData(name: string): string {
  return `data-${name}`;
}

/** By itself, or as the part without which the others are none. */
export const mayHoldAddress = (name: string): boolean =>
  namesAddress.test(name) || domainNames.includes(name);

/** Matters only beside one that may hold an address. */
export const isPartOfAddress = (name: string): boolean =>
  localNames.includes(name) || suffixNames.includes(name);
