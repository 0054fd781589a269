import { usageError } from "../../../base/usage-error.ts";
import { readSuppressionKey } from "../../../records/index.ts";
import type { ArgumentSpec, OptionSpec } from "../../frame/command.ts";

export const valueArgument: ArgumentSpec = {
  name: "value",
  summary:
    "an e-mail address, a domain, a phone number with its country code, or the id of a place",
  isRepeated: true,
};

export const countryOption: OptionSpec = {
  flag: "--country",
  value: "country",
  summary: "two letters, for phone numbers without a country code",
};

/** Reads all keys or throws: a typing error must not leave somebody off the list. */
export function readKeys(values: readonly string[], country: string | undefined) {
  return values.map((value) => {
    const key = readSuppressionKey(value, { country });
    if (key !== undefined) return key;
    throw usageError(
      `'${value}' is not an e-mail address, domain, phone number with its country code or id of a place ` +
        "(such as osm/node/1, or place:A17 for a list of your own); nothing was changed",
    );
  });
}
