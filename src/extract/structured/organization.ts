import type { AddressFact, OrganizationFact } from "../page-facts.ts";
import { cleanName, cleanText } from "../text/clean-text.ts";
import { isNode, nodesOf, textOf, textsOf, type StructuredNode } from "./structured-node.ts";

/**
 * Types of schema.org that describe the owner of a page; local businesses have hundreds of
 * subtypes.
 */
const organizationTypes =
  /(?:Organization|Business|Corporation|Company|Store|Shop|Restaurant|Hotel|Motel|Hostel|Lodging|Resort|Bakery|Cafe|CafeOrCoffeeShop|BarOrPub|Brewery|Winery|Distillery|Dentist|Physician|MedicalClinic|Clinic|Hospital|Pharmacy|Optician|Attorney|Notary|Legal|LegalService|Accounting|AccountingService|Service|Agency|Agent|RealEstateAgent|Contractor|Electrician|Plumber|Locksmith|HousePainter|HVAC|Roofing|Florist|Salon|Spa|Gym|HealthClub|Club|School|University|College|EducationalOrganization|Library|Museum|Dealer|AutoRepair|AutoDealer|GasStation|Bank|ATM|Insurance|InsuranceAgency|Center|Centre|Place|Church|NGO|TravelAgency|ChildCare|VeterinaryCare|DryCleaningOrLaundry|MovingCompany|Airline|Brand)$/;
const notOrganizations =
  /^(?:Service|FinancialProduct|Place|Brand|BreadcrumbList|WebPage|CollectionPage)$/;

export const isOrganization = ({ types }: StructuredNode): boolean =>
  types.some((type) => organizationTypes.test(type) && !notOrganizations.test(type));

export function organizationOf(node: StructuredNode): OrganizationFact {
  const contacts = [...nodesOf(node, "contactPoint"), ...nodesOf(node, "contactPoints")];
  const geo =
    nodesOf(node, "geo")[0] ??
    nodesOf(node, "location").flatMap((place) => nodesOf(place, "geo"))[0];
  const rating = nodesOf(node, "aggregateRating")[0];
  const name = nameOf(node, "name");
  const legalName = nameOf(node, "legalName");
  const logo = textOf(node, "logo") ?? nodesOf(node, "logo").map((one) => textOf(one, "url"))[0];
  const address = addressOf(node);
  const latitude = numberIn(geo && textOf(geo, "latitude"), 90);
  const longitude = numberIn(geo && textOf(geo, "longitude"), 180);
  const stars = numberIn(rating && textOf(rating, "ratingValue"), 100);
  const reviews = numberIn(
    rating && (textOf(rating, "reviewCount") ?? textOf(rating, "ratingCount")),
    1e9,
  );
  const fax = textOf(node, "faxNumber") ?? contacts.map((one) => textOf(one, "faxNumber"))[0];
  const vatId = textOf(node, "vatID") ?? textOf(node, "taxID");
  return {
    types: node.types,
    ...(name && { name }),
    ...(legalName && { legalName }),
    ...some("url", urlOf(textOf(node, "url"))),
    ...some("logo", urlOf(logo)),
    ...some("description", textOf(node, "description")?.slice(0, 1_000)),
    emails: [node, ...contacts].flatMap((one) => textsOf(one, "email")),
    phones: [node, ...contacts].flatMap((one) => textsOf(one, "telephone")),
    ...some("fax", fax),
    ...(address && { address }),
    ...(latitude !== undefined && longitude !== undefined && { latitude, longitude }),
    hours: hoursOf(node),
    ...(stars !== undefined && { rating: stars }),
    ...(reviews !== undefined && { reviews }),
    sameAs: textsOf(node, "sameAs").flatMap((url) => urlOf(url) ?? []),
    ...some("vatId", vatId?.slice(0, 40)),
    ...some("priceRange", textOf(node, "priceRange")?.slice(0, 40)),
    areasServed: textsOf(node, "areaServed")
      .slice(0, 50)
      .map((area) => cleanName(area))
      .filter(Boolean),
  };
}

function nameOf(node: StructuredNode, property: string): string | undefined {
  return textsOf(node, property)
    .map((name) => cleanName(name))
    .find(Boolean);
}

function addressOf(node: StructuredNode): AddressFact | undefined {
  const values = [
    ...(node.properties.get("address") ?? []),
    ...nodesOf(node, "location").flatMap((place) => place.properties.get("address") ?? []),
  ];
  const parts = values.find(isNode);
  if (!parts) {
    const whole = values.find((value): value is string => !isNode(value));
    return whole ? { whole: cleanText(whole, 300) } : undefined;
  }
  const part = (name: string) =>
    textsOf(parts, name)
      .map((text) => cleanName(text, 200))
      .find(Boolean);
  const address: AddressFact = {
    ...some("street", part("streetAddress")),
    ...some("city", part("addressLocality")),
    ...some("zip", part("postalCode")),
    ...some("state", part("addressRegion")),
    ...some("country", part("addressCountry")),
  };
  return Object.keys(address).length > 0 ? address : undefined;
}

function hoursOf(node: StructuredNode): readonly string[] {
  const texts = textsOf(node, "openingHours").flatMap((text) => text.split(/[,;]\s{0,3}(?=[A-Z])/));
  const specified = nodesOf(node, "openingHoursSpecification").flatMap((one) => {
    const days = textsOf(one, "dayOfWeek").map((day) => day.replace(/^.*[/#]/, "").slice(0, 2));
    const opens = textOf(one, "opens")?.slice(0, 5);
    const closes = textOf(one, "closes")?.slice(0, 5);
    return days.length > 0 && opens && closes ? [`${days.join(",")} ${opens}-${closes}`] : [];
  });
  return [...texts, ...specified]
    .map((text) => cleanText(text, 100))
    .filter(Boolean)
    .slice(0, 30);
}

function numberIn(text: string | undefined, limit: number): number | undefined {
  if (text === undefined || !/^\s*-?\d/.test(text)) return undefined;
  const value = Number(text.replace(",", ".").replace(/[^\d.eE-]/g, ""));
  return Number.isFinite(value) && Math.abs(value) <= limit ? value : undefined;
}

function urlOf(text: string | undefined): string | undefined {
  if (text === undefined || !/^(?:https?:)?\/\//i.test(text)) return undefined;
  try {
    return new URL(text.startsWith("//") ? `https:${text}` : text).href;
  } catch {
    return undefined;
  }
}

function some<Key extends string>(
  key: Key,
  value: string | undefined,
): { readonly [K in Key]?: string } {
  return (value ? { [key]: value } : {}) as { readonly [K in Key]?: string };
}
