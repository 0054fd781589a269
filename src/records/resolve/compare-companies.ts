import { getDomain } from "tldts";
import { wordsOf } from "../../base/text/fold-text.ts";
import type { Company } from "../fields/company.ts";
import { placesOf } from "../fields/places.ts";
import type { ComparedCompany } from "./judge-pair.ts";
import { comparedName } from "./name-similarity.ts";

/** Sites on which many companies have a page: their domain identifies none of them. */
const portals = new Set(
  ("facebook.com instagram.com linkedin.com twitter.com x.com youtube.com tiktok.com pinterest.com yelp.com tripadvisor.com " +
    "google.com business.site goo.gl g.page linktr.ee wixsite.com wix.com squarespace.com weebly.com wordpress.com jimdo.com " +
    "jimdosite.com jimdofree.com godaddysites.com webnode.com webflow.io blogspot.com github.io shopify.com myshopify.com " +
    "square.site strikingly.com carrd.co site123.me gelbeseiten.de dasoertliche.de yellowpages.com doctolib.de doctolib.fr " +
    "jameda.de zocdoc.com booking.com opentable.com ubereats.com doordash.com lieferando.de amazon.com ebay.com etsy.com " +
    "booksy.com treatwell.de treatwell.co.uk vagaro.com mindbodyonline.com angi.com thumbtack.com bbb.org foursquare.com")
    .split(" "),
); // prettier-ignore

/** A domain or a phone number with this many different names does not identify any of them. */
export const namesSharedMax = 4;

export const isPortal = (domain: string): boolean =>
  portals.has(domain) || portals.has(getDomain(domain) ?? "");

/** Prepares what is the same in all comparisons with one company. */
export function compared(company: Company): Omit<ComparedCompany, "isChain"> {
  const { texts, numbers, phones } = company;
  const { latitude, longitude } = numbers;
  const line = wordsOf(texts.street ?? texts.address ?? "");
  const number = line.find((word) => /^\d/.test(word));
  const street = line.filter((word) => !/^\d/.test(word)).slice(0, 2).join(" "); // prettier-ignore
  return {
    target: company.target,
    name: comparedName(company.name),
    point: latitude !== undefined && longitude !== undefined ? { latitude, longitude } : undefined,
    houseNumber: number,
    street: street === "" ? undefined : street,
    phones: phones.map(({ value }) => value),
    domain: texts.domain === undefined || isPortal(texts.domain) ? undefined : texts.domain,
    sources: [...new Set(placesOf(company).map((place) => place.split("/", 1)[0]!))],
  };
}
