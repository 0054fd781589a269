/**
 * The names of place fields in files. Names are compared without case, accents, spaces and
 * punctuation, so `E-Mail Adresse` is `emailadresse` and `addr:street` is `addrstreet`. A field
 * with one value takes it from the first name that has one; a list takes all. Headers of
 * spreadsheets are known in ten languages: en, de, es, fr, it, pt, nl, pl, sv, ja.
 */
export const fieldNames = {
  id: "id @id placeid osmid fsqplaceid gersid place_id uuid",
  name:
    "name title company companyname business businessname organization organisation firma firmenname " +
    "unternehmen betrieb empresa nombre razonsocial negocio société nom entreprise raisonsociale azienda " +
    "ragionesociale nome denominazione bedrijf bedrijfsnaam naam firmy nazwa nazwafirmy företag företagsnamn " +
    "namn 名前 会社名 社名 商号 屋号 事業所名 店舗名 店名 名称 企業名",
  latitude:
    "latitude lat y geolat gpslat latitud latitudine breitengrad breite geobreite breedtegraad " +
    "szerokosc szerokośćgeograficzna 緯度 latitudegps",
  longitude:
    "longitude lon lng long x geolon geolng gpslon longitud longitudine längengrad länge geolänge " +
    "lengtegraad długość długośćgeograficzna 経度",
  point:
    "coordinates coordinate latlon latlng latlong location geo gps geopoint koordinaten koordinate " +
    "coordenadas coordonnees coordonnées coordinate coördinaten współrzędne koordinater 座標 緯度経度",
  wkt: "wkt geom geometry thegeom wktgeometry geometrie geometria",
  address:
    "address fulladdress formattedaddress addrfull freeform adresse anschrift direccion dirección indirizzo " +
    "endereço endereco adres adress 住所 所在地",
  street:
    "street addrstreet streetaddress streetname straße strasse str calle rue via rua straat ulica gata 通り 番地",
  houseNumber:
    "housenumber addrhousenumber housenr hausnummer hausnr hnr numero número numéro civico huisnummer nrdomu " +
    "husnummer",
  unit: "unit addrunit suite apartment addrsuite addrdoor flat",
  quarter: "addrplace addrhamlet addrsuburb",
  city:
    "city addrcity locality town municipality ort stadt ortschaft gemeinde ciudad localidad poblacion población " +
    "municipio ville commune città citta comune cidade município plaats stad gemeente miasto miejscowość " +
    "ort stadsdel 市区町村 市",
  zip:
    "zip postcode postalcode zipcode addrpostcode plz postleitzahl codigopostal códigopostal cp codepostal cap " +
    "cep kodpocztowy postnummer 郵便番号",
  state:
    "state region addrstate province addrprovince adminregion bundesland kanton provincia estado région " +
    "département departement regione województwo län 都道府県",
  country: "country countrycode addrcountry land país pais pays paese nazione kraj 国",
  timezone: "timezone zeitzone",
  website:
    "website websites url contactwebsite websiteofficial contacturl homepage webpage web site domain www " +
    "webseite internet internetseite internetadresse sitioweb paginaweb páginaweb siteweb siteinternet sitoweb " +
    "sito stronawww strona hemsida webbplats ウェブサイト ホームページ",
  phones:
    "phones phone contactphone phonenumber telephone tel mobile contactmobile phonemobile mobilephone " +
    "contactwhatsapp telefon telefonnummer rufnummer mobil handy mobiltelefon teléfono telefono móvil movil " +
    "celular téléphone téléphonefixe portable telefone telemóvel cellulare telefoon mobiel komórka " +
    "telefonkomórkowy 電話 電話番号",
  faxes: "fax contactfax faxnumber telefax faxnummer fax番号 ファックス",
  emails:
    "emails email contactemail emailaddress mail emailaddresses epost epostadresse emailadresse correo " +
    "correoelectronico correoelectrónico courriel adresseemail adressemail postaelettronica メール " +
    "メールアドレス",
  operator: "operator betreiber operador exploitant",
  brand: "brand marke marca marque merk",
  description:
    "description about beschreibung descripcion descripción descrição descrizione omschrijving " +
    "opis beskrivning 説明",
  rating: "rating stars averagerating bewertung",
  reviews: "reviews reviewscount reviewcount numberofreviews bewertungen",
  hours:
    "hours openinghours öffnungszeiten horario horaires heuresdouverture orari openingstijden godzinyotwarcia " +
    "営業時間",
  confidence: "confidence",
} as const;

export type FieldName = keyof typeof fieldNames;

/** The category may be in several of these, and all of them count. */
export const categoryNames =
  "category categories types type industry branche kategorie kategorien rubrik gewerbe categoría categoria " +
  "catégorie rubrique secteur settore branch branża bransch カテゴリ 業種 fsqcategorylabels basiccategory maincategory";

/** Keys of OpenStreetMap that say what a place is. */
export const tagKeys: ReadonlySet<string> = new Set(
  (
    "shop craft office amenity healthcare tourism leisure club education industrial cuisine beauty clothes " +
    "sport social_facility social_facility:for healthcare:speciality second_hand trade service:vehicle:repair"
  ).split(" "),
);

/** Social profiles, by the end of their key: `contact:facebook`, `facebook_id`, `Instagram URL`. */
export const networkNames =
  "facebook instagram twitter linkedin youtube tiktok pinterest xing threads bluesky mastodon vk telegram";

export function plainName(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}@]/gu, "")
    .normalize("NFC");
}

/**
 * By plain name: the field, and the rank of the name. If two fields have a name, the first one gets
 * it.
 */
const fieldByName: ReadonlyMap<string, NamedField> = namedFields();

/** Fields whose columns may be numbered: `Telefon 1`, `E-Mail 2`. */
const listFields: ReadonlySet<FieldName> = new Set(["phones", "faxes", "emails", "website"]);

/** The field of a place for a header in any of the languages; undefined: none. */
export function namedField(header: string): NamedField | undefined {
  const plain = plainName(header);
  const found = fieldByName.get(plain) ?? fieldByName.get(plain.replace(/\d{1,2}$/, ""));
  const isNumbered = found !== undefined && !fieldByName.has(plain);
  return isNumbered && !listFields.has(found.field) ? undefined : found;
}

export const placeFieldNamed = (header: string): FieldName | undefined => namedField(header)?.field;

export interface NamedField {
  readonly field: FieldName;
  readonly rank: number;
}

function namedFields(): ReadonlyMap<string, NamedField> {
  const found = new Map<string, NamedField>();
  for (const [field, names] of Object.entries(fieldNames)) {
    for (const [rank, name] of [field, ...names.split(" ")].entries()) {
      const plain = plainName(name);
      if (!found.has(plain)) found.set(plain, { field: field as FieldName, rank });
    }
  }
  return found;
}

export const isCategoryName: ReadonlySet<string> = new Set(
  categoryNames.split(/\s+/).map(plainName),
);
