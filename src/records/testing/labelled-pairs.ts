/**
 * Pairs of places from two sources, each labelled by hand as the same business or not. The
 * businesses are invented; the kinds of pairs follow published sets of real pairs of OpenStreetMap
 * with Foursquare and Yelp: other spellings, legal forms, chains, neighbours in one house,
 * departments, successors, points that are off by a street.
 */
export interface LabelledPair {
  readonly a: string;
  readonly b: string;
  readonly metres: number;
  readonly isSame: boolean;
  readonly streets?: readonly [a: string, b: string];
  readonly phones?: readonly [a: string, b: string];
  readonly domains?: readonly [a: string, b: string];
}

type More = Omit<LabelledPair, "a" | "b" | "metres" | "isSame">;

const same = (a: string, b: string, metres: number, more: More = {}): LabelledPair => ({ a, b, metres, isSame: true, ...more }); // prettier-ignore
const other = (a: string, b: string, metres: number, more: More = {}): LabelledPair => ({ a, b, metres, isSame: false, ...more }); // prettier-ignore
const oneNumber = ["+4989555001", "+4989555001"] as const;
const oneHouse = ["Hauptstraße 12", "Hauptstraße 12"] as const;

export const labelledPairs: readonly LabelledPair[] = [
  // A part of the name says in which house it is.
  other("Hotel Vogt", "Pool @ Hotel Vogt", 15),
  other("Parkhaus Mitte", "Bar 52@Parkhaus Mitte", 20),
  // The same name, at about the same point.
  same("Café Morgenrot", "Cafe Morgenrot", 12),
  same("The Copper Kettle", "Copper Kettle", 35),
  same("Joe's Pizza", "Joes Pizza", 48),
  same("Müller & Söhne GmbH", "Müller und Söhne", 20),
  same("Trattoria Da Nino", "Da Nino", 25),
  same("Blumen Schuster", "Blumen-Schuster", 9),
  same("Hotel Zur Krone", "Zur Krone", 40),
  same("Golden Dragon Chinese Restaurant", "Golden Dragon", 30),
  same("Apotheke am Markt", "Apotheke am Markt", 66),
  same("Riverside Veterinary Clinic", "Riverside Veterinary", 45),
  same("La Boulangerie de Pierre", "Boulangerie de Pierre", 18),
  same("Sankt Martin Buchhandlung", "St. Martin Buchhandlung", 22),
  same("O'Hara's Irish Pub", "O’Haras Irish Pub", 15),
  same("Autohaus Lindner", "Auto Haus Lindner", 90),
  same("Elektro Vogt", "Elektro Vogt e.K.", 55),
  same("Studio 54 Yoga", "Studio 54 Yoga", 120),
  same("Peking Garden", "PEKING GARDEN", 77),
  same("Kwik Fit Tyres", "Kwik-Fit Tyres", 33),
  same("Zahnarztpraxis Dr. Brandt", "Dr. Brandt Zahnarztpraxis", 28),
  same("Harbor Fish & Chips", "Harbor Fish and Chips", 60),
  same("Gasthaus Sonnenhof", "Gasthaus Sonnenhof", 140),
  same("Northern Lights Coffee", "Northern Lights Coffee", 8),
  same("Librería Cervantes", "Libreria Cervantes", 51),
  same("Maple Leaf Bakery", "Maple Leaf Bakery", 101),
  // The point is off, but the address or the number matches.
  same("Schreinerei Holzner", "Holzner Schreinerei und Möbelbau", 180, { streets: oneHouse }),
  same("Weber Zahnarzt", "Praxis Dr. Weber", 620, { phones: oneNumber }),
  same("Pension Bergblick", "Gästehaus Bergblick", 240, { phones: oneNumber }),
  same("Fahrschule Adler", "Fahrschule Adler Inh. K. Adler", 210, { streets: oneHouse }),
  same("Salon Rosa", "Friseur Rosa", 15, { phones: oneNumber }),
  same("Kanzlei Ostermann", "Rechtsanwälte Ostermann & Partner", 44, { streets: oneHouse }),
  // Renamed, transliterated, or too far off: a user has to decide.
  same("Il Gattopardo", "Ristorante Leopardo", 20),
  same("Kebab Haus", "Istanbul Grill & Kebab Haus", 130),
  same("東京歯科", "Tokyo Dental", 10),
  same("Green Leaf Market", "Green Leaf Market", 420),
  same("Bike Works", "The Bicycle Works Ltd", 70),
  same("Mobile Phone Repair Centre", "iFix Phones", 12),
  // Two businesses in one house.
  other("Café Morgenrot", "Buchhandlung Morgenrot", 5, { streets: oneHouse }),
  other("Dr. Weber", "Dr. Schulz", 6, { phones: oneNumber, streets: oneHouse }),
  other("Bäckerei Huber", "Metzgerei Huber", 30),
  other("Hotel Adler", "Hotel Krone", 25),
  other("Nagelstudio Bella", "Friseur Bella", 18),
  other("City Parking", "City Bank", 22),
  other("Shell", "Subway", 14, { streets: oneHouse }),
  other("Notar Klein", "Steuerberater Klein", 4, { streets: oneHouse }),
  other("Praxis für Physiotherapie", "Praxis für Ergotherapie", 7, { streets: oneHouse }),
  other("Golden Dragon", "Golden Lion", 60),
  other("First Avenue Dental", "First Avenue Deli", 35),
  other("Pizza Roma", "Pizza Milano", 40),
  other("Central Pharmacy", "Central Library", 55),
  other("Museum Café", "Museum Shop", 12, { domains: ["museum.example", "museum.example"] }),
  // Branches of a chain, and departments.
  other("Burger Barn", "Burger Barn", 900),
  other("Walmart", "Walmart Fuel Station", 260, { domains: ["walmart.example", "walmart.example"] }), // prettier-ignore
  other("Sparkasse", "Sparkasse Geldautomat", 350),
  other("St. Mary Hospital", "St. Mary Hospital Parking", 190),
  other("Dr. Brandt Kinderarzt", "Dr. Brandt Orthopäde", 1_400, { phones: oneNumber }),
  other("Tankstelle Nord", "Tankstelle Süd", 80),
  other("Grundschule West", "Grundschule Ost", 120),
  other("Fitness Point", "Fitness Point", 160, { streets: ["Ringstraße 4", "Ringstraße 88"] }),
  other("Salon Anna", "Salon Anna", 110, { streets: ["Lindenweg 3", "Lindenweg 41"], domains: ["anna-a.example", "anna-b.example"] }), // prettier-ignore
  other("Green Leaf Market", "Green Leaf Dispensary", 45),
  other("Royal Cleaners", "Royal Barbers", 16),
  other("Lake View Inn", "Lake View Church", 70),
  other("Smith Plumbing", "Smith Roofing", 33),
  other("Union Station", "Union Station Grill", 95),
  other("Oak Street Animal Hospital", "Oak Street Market", 30),
  other("Auto Meyer", "Meyer Immobilien", 26),
  other("Kunsthaus", "Kunsthaus Café", 150),
  other("Haus der Musik", "Haus der Kunst", 140),
  other("Bar Centrale", "Pizzeria Centrale", 21),
  other("Taj Mahal", "Little India", 13),
  other("Copy Shop Uni", "Uni Mensa", 60),
  other("Sunrise Nails", "Sunrise Donuts", 28),
  other("Jones & Co Solicitors", "Jones Estate Agents", 20),
  other("Villa Rossi", "Rossi Parrucchieri", 85),
];
