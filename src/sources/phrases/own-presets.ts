/** Trades that have tags in OpenStreetMap and no preset; any one of the tags is enough. */
export const ownPresets: readonly {
  readonly tags: readonly string[];
  readonly names: Readonly<Record<string, string>>;
}[] = [
  {
    tags: ["craft=builder", "office=construction_company"],
    names: {
      en: "builder, general contractor, construction company, building contractor, home builder, masonry contractor, home remodeling, home renovation",
      de: "bauunternehmen, bauunternehmer, baufirma, maurer, bauunternehmung",
      es: "constructora, empresa constructora, albañil, reformas",
      fr: "maçon, entreprise de construction, entreprise du bâtiment",
      it: "impresa edile, muratore, ristrutturazioni",
      pt: "construtora, pedreiro",
      nl: "aannemer, bouwbedrijf, aannemersbedrijf",
      pl: "firma budowlana",
      ja: "建設会社, 工務店, 建築会社, リフォーム会社",
    },
  },
  {
    tags: ["shop=pest_control", "craft=pest_control", "office=pest_control"],
    names: {
      en: "pest control, exterminator, pest control service, termite control",
      de: "schädlingsbekämpfung, kammerjäger, schädlingsbekämpfer",
      es: "control de plagas, fumigación",
      fr: "dératisation, désinsectisation",
      it: "disinfestazione",
      pt: "dedetização, controle de pragas",
      nl: "ongediertebestrijding",
      ja: "害虫駆除",
    },
  },
  {
    tags: ["craft=arborist", "craft=tree_surgeon", "shop=arborist"],
    names: {
      en: "tree surgeon, arborist, tree removal, tree trimming, tree care",
      de: "baumpfleger, baumpflege, baumfällung",
      fr: "élagueur, élagage",
      nl: "boomverzorger",
    },
  },
  {
    tags: ["craft=solar_installer", "shop=solar", "craft=photovoltaic"],
    names: {
      en: "solar installer, solar panel installer, solar company, solar energy company",
      de: "solarteur, solartechnik, photovoltaik",
      es: "instalador de paneles solares, energía solar",
      fr: "installateur de panneaux solaires",
      it: "impianti fotovoltaici",
      nl: "zonnepanelen installateur",
      ja: "太陽光発電",
    },
  },
  {
    tags: ["office=event_management", "shop=party", "office=event_planner"],
    names: {
      en: "event planner, event management, event planning, wedding planner, event organizer",
      de: "eventagentur, veranstaltungsagentur, hochzeitsplaner",
      es: "organización de eventos, organizador de eventos",
      fr: "organisateur d'événements, agence événementielle",
      it: "organizzazione eventi",
    },
  },
  {
    tags: ["craft=handyman"],
    names: {
      en: "handyman, handyman service, home repair",
      de: "hausmeisterservice",
      nl: "klusjesman",
    },
  },
];
