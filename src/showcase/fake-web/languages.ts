/** The words for the sites of the region. All names are invented. */
export interface Language {
  readonly code: "de" | "en" | "fr" | "es" | "ja";
  readonly country: "DE" | "GB" | "FR" | "ES" | "JP";
  /** The top-level domain of this language's companies. */
  readonly suffix: string;
  readonly families: readonly string[];
  readonly givenNames: readonly string[];
  readonly trades: readonly (readonly string[])[];
  readonly towns: readonly string[];
  readonly streets: readonly string[];
  readonly legalForm: string;
  readonly words: Words;
  /** For domains and mailboxes, if the language does not use Latin letters. */
  readonly latin?: { readonly families: readonly string[]; readonly trades: readonly string[] };
}

export interface Words {
  readonly contact: string;
  readonly imprint: string;
  readonly about: string;
  readonly services: string;
  readonly home: string;
  readonly phone: string;
  readonly fax: string;
  readonly email: string;
  readonly owner: string;
  readonly vat: string;
  readonly paths: {
    readonly contact: string;
    readonly imprint: string;
    readonly about: string;
    readonly services: string;
  };
  readonly sentences: readonly string[];
  readonly offers: readonly string[];
}

export const languages: readonly Language[] = [
  {
    code: "de",
    country: "DE",
    suffix: "de",
    families: ["Brandt", "Kröger", "Weißhaupt", "Lindner", "Möllers", "Anders"],
    givenNames: ["Anna", "Jürgen", "Birgit", "Tomas", "Sören", "Käthe"],
    trades: [
      ["Tischlerei", "Schreinerei"],
      ["Bäckerei", "Backstube"],
    ],
    towns: ["Neuhafen", "Möwenbucht"],
    streets: ["Hafenstraße", "Am Deich", "Mühlenweg"],
    legalForm: "GmbH",
    words: {
      contact: "Kontakt",
      imprint: "Impressum",
      about: "Über uns",
      services: "Leistungen",
      home: "Startseite",
      phone: "Telefon",
      fax: "Telefax",
      email: "E-Mail",
      owner: "Geschäftsführer",
      vat: "USt-IdNr.",
      paths: {
        contact: "kontakt",
        imprint: "impressum",
        about: "ueber-uns",
        services: "leistungen",
      },
      sentences: [
        "Wir sind ein Betrieb mit langer Erfahrung und freuen uns auf Ihren Besuch.",
        "Bei uns ist jedes Stück von Hand gemacht, und das sieht man auch.",
        "Sprechen Sie mit uns über das, was Sie vorhaben.",
      ],
      offers: ["Beratung vor Ort", "Lieferung und Montage", "Sonderanfertigung", "Reparatur"],
    },
  },
  {
    code: "en",
    country: "GB",
    suffix: "co.uk",
    families: ["Harlow", "Whitcombe", "O'Dell", "Pemberley", "Ashdown", "Fenwright"],
    givenNames: ["Alice", "Tom", "Rosie", "George", "Nell", "Owen"],
    trades: [
      ["Joinery", "Carpentry"],
      ["Bakery", "Bakehouse"],
    ],
    towns: ["Eastmere", "Stonehaven Bay"],
    streets: ["High Street", "Quay Road", "Mill Lane"],
    legalForm: "Ltd",
    words: {
      contact: "Contact us",
      imprint: "Legal notice",
      about: "About us",
      services: "Our services",
      home: "Home",
      phone: "Phone",
      fax: "Fax",
      email: "Email",
      owner: "Owner",
      vat: "VAT No.",
      paths: { contact: "contact-us", imprint: "legal", about: "about", services: "services" },
      sentences: [
        "We are a small company that has worked for the people of this town for many years.",
        "All of our work is made by hand, and we are proud of it.",
        "Come and see us, or get in touch about your plans.",
      ],
      offers: ["Advice at your home", "Delivery and fitting", "Made to measure", "Repairs"],
    },
  },
  {
    code: "fr",
    country: "FR",
    suffix: "fr",
    families: ["Lefèvre", "Garnier-Moreau", "Dubreuil", "Chênevert", "Marchal", "Rivière"],
    givenNames: ["Élodie", "Marcel", "Aurore", "Benoît", "Camille", "Hervé"],
    trades: [
      ["Menuiserie", "Ébénisterie"],
      ["Boulangerie", "Fournil"],
    ],
    towns: ["Port-Clair", "Saint-Élan"],
    streets: ["Rue du Port", "Quai des Mouettes", "Avenue de la Plage"],
    legalForm: "SARL",
    words: {
      contact: "Nous contacter",
      imprint: "Mentions légales",
      about: "Qui sommes-nous",
      services: "Nos prestations",
      home: "Accueil",
      phone: "Téléphone",
      fax: "Fax",
      email: "Courriel",
      owner: "Gérante",
      vat: "SIRET",
      paths: {
        contact: "contactez-nous",
        imprint: "mentions-legales",
        about: "qui-sommes-nous",
        services: "prestations",
      },
      sentences: [
        "Nous sommes une entreprise de la région et nous travaillons avec soin pour vous.",
        "Tous nos produits sont faits à la main dans notre atelier.",
        "Parlez-nous de votre projet, nous sommes à votre écoute.",
      ],
      offers: ["Conseil à domicile", "Livraison et pose", "Fabrication sur mesure", "Réparation"],
    },
  },
  {
    code: "es",
    country: "ES",
    suffix: "es",
    families: ["Navarro", "Ibáñez", "Castaño", "Quintana", "Peñalver", "Solís"],
    givenNames: ["Lucía", "Íñigo", "Marta", "Andrés", "Begoña", "Hugo"],
    trades: [
      ["Carpintería", "Ebanistería"],
      ["Panadería", "Horno"],
    ],
    towns: ["Puerto Claro", "Bahía Nueva"],
    streets: ["Calle Mayor", "Paseo del Mar", "Plaza Vieja"],
    legalForm: "S.L.",
    words: {
      contact: "Contacto",
      imprint: "Aviso legal",
      about: "Quiénes somos",
      services: "Nuestros servicios",
      home: "Inicio",
      phone: "Teléfono",
      fax: "Fax",
      email: "Correo electrónico",
      owner: "Gerente",
      vat: "CIF",
      paths: {
        contact: "contacto",
        imprint: "aviso-legal",
        about: "quienes-somos",
        services: "servicios",
      },
      sentences: [
        "Somos una empresa de la zona y trabajamos con cuidado para nuestros clientes.",
        "Todo lo que hacemos se hace a mano en nuestro taller.",
        "Cuéntenos su proyecto y le ayudamos con una idea.",
      ],
      offers: [
        "Asesoramiento a domicilio",
        "Entrega y montaje",
        "Trabajos a medida",
        "Reparaciones",
      ],
    },
  },
  {
    code: "ja",
    country: "JP",
    suffix: "co.jp",
    families: ["木村", "青山", "小川", "松井", "森田", "石橋"],
    givenNames: ["太郎", "花子", "健一", "美咲", "一郎", "恵子"],
    trades: [
      ["工務店", "木工所"],
      ["ベーカリー", "製パン"],
    ],
    towns: ["港町", "東浜"],
    streets: ["中央通り", "海岸通り", "本町"],
    legalForm: "株式会社",
    latin: {
      families: ["kimura", "aoyama", "ogawa", "matsui", "morita", "ishibashi"],
      trades: ["koumuten", "bakery"],
    },
    words: {
      contact: "お問い合わせ",
      imprint: "特定商取引法に基づく表記",
      about: "会社概要",
      services: "業務内容",
      home: "ホーム",
      phone: "電話番号",
      fax: "ファックス",
      email: "メール",
      owner: "代表者",
      vat: "登録番号",
      paths: {
        contact: "otoiawase",
        imprint: "tokushoho",
        about: "kaisha-gaiyou",
        services: "gyomu",
      },
      sentences: [
        "私たちはこの町で長いあいだ仕事をしてきた会社です。",
        "すべての品をひとつずつ手で作っています。",
        "どうぞお気軽にご相談ください。",
      ],
      offers: ["ご自宅でのご相談", "配達と取り付け", "オーダーメイド", "修理"],
    },
  },
];
