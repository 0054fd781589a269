import type { Company } from "../../records/index.ts";

/** Whether a company has a value, by the field's display name. */
const fields: Readonly<Record<string, (company: Company) => boolean>> = {
  website: ({ texts }) => texts.website !== undefined || texts.domain !== undefined,
  email: ({ emails }) => emails.length > 0,
  phone: ({ phones }) => phones.length > 0,
  address: ({ texts }) => texts.street !== undefined || texts.address !== undefined,
  city: ({ texts }) => texts.city !== undefined,
  zip: ({ texts }) => texts.zip !== undefined,
  state: ({ texts }) => texts.state !== undefined,
  country: ({ texts }) => texts.country !== undefined,
  point: ({ numbers }) => numbers.latitude !== undefined && numbers.longitude !== undefined,
  category: ({ categories }) => categories.length > 0,
  hours: ({ texts }) => texts.hours !== undefined,
  rating: ({ numbers }) => numbers.rating !== undefined,
  reviews: ({ numbers }) => numbers.reviews !== undefined,
  social: ({ socials }) => Object.keys(socials).length > 0,
  person: ({ people }) => people.length > 0,
  description: ({ description }) => description !== undefined,
  services: ({ services }) => services.length > 0,
  products: ({ products }) => products.length > 0,
  tech: ({ tech }) => tech.length > 0,
};

export function createFieldCounts() {
  const all = Object.entries(fields);
  const counts = all.map(() => 0);
  let companies = 0;
  return {
    add(company: Company) {
      companies += 1;
      for (const [at, [, has]] of all.entries()) if (has(company)) counts[at]! += 1;
    },
    result: () =>
      all.map(([field], at) => ({
        field,
        companies: counts[at]!,
        share: shareOf(counts[at]!, companies),
      })),
  };
}

/** From 0 to 1, with four digits; 0 if `whole` is 0. */
export const shareOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
