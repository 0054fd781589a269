// inputs: src/campaign/** src/sources/** src/extract/** src/base/**
import { describe, expect, test } from "vitest";
import type { Place } from "../../sources/index.ts";
import { companyFacts } from "./company-fields.ts";

const factsOf = (more: Partial<Place>) => {
  const facts = companyFacts({ id: "p/1", name: "A", ...more });
  const values = Object.fromEntries(facts.fields.map(({ field, value }) => [field, value]));
  return { ...facts, values, names: Object.keys(values) };
};
const munich = { latitude: 48.137, longitude: 11.575 };

describe("what a place says", () => {
  test("a national number belongs to the country that is named, else to where the place lies", () => {
    const phones = ["089 123456"];
    expect(factsOf({ ...munich, phones }).names).toContain("phone/+4989123456");
    expect(factsOf({ country: "Deutschland", phones }).names).toContain("phone/+4989123456");
    expect(factsOf({ phones }).unread).toEqual([{ field: "phone", value: "089 123456" }]);
    const austin = { latitude: 30.267, longitude: -97.743, phones: ["(512)474-0143"] };
    expect(factsOf(austin).names).toContain("phone/+15124740143");
  });

  test("several numbers in one text, and numbers that begin with 00", () => {
    const { names, unread } = factsOf({ ...munich, phones: ["089 123456, 0171 1234567", "0043 1 58858"] }); // prettier-ignore
    expect(names).toEqual(
      expect.arrayContaining(["phone/+4989123456", "phone/+491711234567", "phone/+43158858"]),
    );
    expect(unread).toEqual([]);
  });

  test("one part of a value that is not understood is reported, and the others are kept", () => {
    const { names, unread } = factsOf({
      ...munich,
      phones: ["+49 89 / 123456, 0171 1234567", "089/123457 (Büro) 0171/1234568 (mobil)", "089 123458, 1234567890123456789"], // prettier-ignore
      emails: ["a@x.example, b(at)x.example"],
    });
    expect(names.filter((name) => name.startsWith("phone/"))).toEqual(
      ["+4989123456", "+491711234567", "+4989123457", "+491711234568", "+4989123458"].map((number) => `phone/${number}`), // prettier-ignore
    );
    expect(names.filter((name) => name.startsWith("email/"))).toEqual(["email/a@x.example"]);
    expect(unread).toEqual([
      { field: "phone", value: "1234567890123456789" },
      { field: "email", value: "b(at)x.example" },
    ]);
  });

  test("fax, operator, brand and a second website are kept as private fields", () => {
    const { values, website, domain } = factsOf({
      ...munich,
      faxes: ["089 123457"],
      operator: "Rohr AG",
      brand: "A",
      website: "https://www.gärtnerei.de",
      websites: ["b.example", "https://www.facebook.com/rohr"],
    });
    expect(values).toMatchObject({
      "x/fax": "+4989123457",
      "x/operator": "Rohr AG",
      "x/websites": "https://b.example/",
      "social/facebook": "https://www.facebook.com/rohr",
      domain: "xn--grtnerei-0za.de",
    });
    expect(values).not.toHaveProperty("x/brand");
    expect([website, domain]).toEqual(["https://www.xn--grtnerei-0za.de/", "xn--grtnerei-0za.de"]);
  });

  test("profiles by address and by name", () => {
    const { values, unread } = factsOf({
      socials: ["instagram:@rohr", "facebook:https://de-de.facebook.com/rohr/", "twitter:rohr.de x", "constructor:a", "https://www.linkedin.com/company/rohr"], // prettier-ignore
    });
    expect(values["social/instagram"]).toBe("https://www.instagram.com/rohr");
    expect(values["social/facebook"]).toMatch(/facebook\.com\/rohr/);
    expect(values["social/linkedin"]).toContain("linkedin.com/company/rohr");
    expect(unread).toEqual(
      ["twitter:rohr.de x", "constructor:a"].map((value) => ({ field: "social", value })),
    );
  });

  test("a second profile in one network is kept beside the first", () => {
    const { values } = factsOf({
      website: "https://www.facebook.com/rohr",
      socials: ["facebook:rohr.sued", "facebook:https://www.facebook.com/rohr.nord"],
    });
    expect(values["social/facebook"]).toBe("https://www.facebook.com/rohr");
    expect(values["x/profiles"]).toBe(
      "https://www.facebook.com/rohr.sued https://www.facebook.com/rohr.nord",
    );
  });

  test("emails: several in one text, hosts in one spelling; others are reported", () => {
    const { names, unread } = factsOf({ emails: ["mailto:A@Gärtnerei.de, b@x.example", "none at all"] }); // prettier-ignore
    expect(names).toEqual(expect.arrayContaining(["email/a@xn--grtnerei-0za.de"]));
    expect(unread).toEqual([{ field: "email", value: "none at all" }]);
  });

  test("a country by its name is its code, and what is not a country is kept and reported", () => {
    expect(factsOf({ country: "Österreich" }).values["country"]).toBe("AT");
    const odd = factsOf({ country: "Atlantis" });
    expect(odd.values["country"]).toBe("Atlantis");
    expect(odd.unread).toEqual([{ field: "country", value: "Atlantis" }]);
  });
});
