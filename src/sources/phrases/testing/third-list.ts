import type { ListedPhrase } from "./listed-phrase.ts";

/**
 * 40 phrases written before the matcher existed, and never used to tune it: its result on them is
 * its result on unknown phrases. The tags are those that OpenStreetMap's documentation recommends
 * for such a business; any of them in first place counts as right.
 */
export const thirdList: readonly ListedPhrase[] = [
  { phrase: "tree surgeon", lang: "en", right: ["craft=arborist", "craft=gardener"] },
  { phrase: "HVAC contractor", lang: "en", right: ["craft=hvac"] },
  { phrase: "swimming pool supplies", lang: "en", right: ["shop=swimming_pool"] },
  { phrase: "upholstery repair", lang: "en", right: ["craft=upholsterer"] },
  { phrase: "shoe repair", lang: "en", right: ["craft=shoemaker", "shop=shoe_repair"] },
  { phrase: "dry cleaners", lang: "en", right: ["shop=dry_cleaning"] },
  { phrase: "wine merchant", lang: "en", right: ["shop=wine"] },
  { phrase: "garden center", lang: "en", right: ["shop=garden_centre"] },
  { phrase: "hardware store", lang: "en", right: ["shop=hardware", "shop=doityourself"] },
  {
    phrase: "pediatrician",
    lang: "en",
    right: ["healthcare:speciality=paediatrics", "amenity=doctors", "healthcare=doctor"],
  },
  {
    phrase: "nursing home",
    lang: "en",
    right: ["social_facility=nursing_home", "amenity=nursing_home"],
  },
  { phrase: "architecture firm", lang: "en", right: ["office=architect"] },
  { phrase: "notary public", lang: "en", right: ["office=notary"] },
  { phrase: "marketing agency", lang: "en", right: ["office=advertising_agency"] },
  { phrase: "event venue", lang: "en", right: ["amenity=events_venue"] },
  {
    phrase: "dance school",
    lang: "en",
    right: ["amenity=dancing_school", "leisure=dance", "education=dancing_school"],
  },
  { phrase: "bed and breakfast", lang: "en", right: ["tourism=guest_house"] },
  { phrase: "campground", lang: "en", right: ["tourism=camp_site"] },
  { phrase: "tire shop", lang: "en", right: ["shop=tyres"] },
  { phrase: "motorcycle dealer", lang: "en", right: ["shop=motorcycle"] },
  { phrase: "glass repair", lang: "en", right: ["craft=glaziery"] },
  { phrase: "welding shop", lang: "en", right: ["craft=welder", "craft=metal_construction"] },
  { phrase: "print shop", lang: "en", right: ["shop=copyshop", "craft=printer"] },
  {
    phrase: "Tischlerei",
    lang: "de",
    right: ["craft=carpenter", "craft=joiner", "craft=cabinet_maker"],
  },
  { phrase: "Gartenbau", lang: "de", right: ["craft=gardener", "shop=garden_centre"] },
  { phrase: "Apotheke", lang: "de", right: ["amenity=pharmacy"] },
  { phrase: "Metzgerei", lang: "de", right: ["shop=butcher"] },
  { phrase: "Fliesenleger", lang: "de", right: ["craft=tiler"] },
  { phrase: "ferretería", lang: "es", right: ["shop=hardware", "shop=doityourself"] },
  { phrase: "cerrajero", lang: "es", right: ["shop=locksmith", "craft=locksmith"] },
  { phrase: "boulangerie", lang: "fr", right: ["shop=bakery"] },
  { phrase: "électricien", lang: "fr", right: ["craft=electrician"] },
  { phrase: "cabinet d'avocats", lang: "fr", right: ["office=lawyer"] },
  { phrase: "commercialista", lang: "it", right: ["office=accountant", "office=tax_advisor"] },
  { phrase: "gommista", lang: "it", right: ["shop=tyres"] },
  { phrase: "oficina mecânica", lang: "pt", right: ["shop=car_repair"] },
  { phrase: "padaria", lang: "pt", right: ["shop=bakery"] },
  { phrase: "tandarts", lang: "nl", right: ["amenity=dentist", "healthcare=dentist"] },
  { phrase: "薬局", lang: "ja", right: ["amenity=pharmacy", "shop=chemist"] },
  { phrase: "花屋", lang: "ja", right: ["shop=florist"] },
];
