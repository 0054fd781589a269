/** Data attributes whose name says that they contain an address. */
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

/** It may contain an address, or the part that every address needs. */
export const mayHoldAddress = (name: string): boolean =>
  namesAddress.test(name) || domainNames.includes(name);

/** Only useful beside an attribute that may contain an address. */
export const isPartOfAddress = (name: string): boolean =>
  localNames.includes(name) || suffixNames.includes(name);
