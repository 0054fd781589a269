/**
 * Trades that have tags in OpenStreetMap's documentation and no preset; any one of the tags is
 * enough.
 */
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
  {
    tags: ["craft=cabinet_maker"],
    names: {
      en: "cabinet maker, custom cabinets, custom furniture maker",
      de: "möbelschreiner, möbeltischler, möbelbau",
      es: "ebanista, ebanistería",
      fr: "ébéniste, ébénisterie",
      it: "ebanista, mobili su misura",
      nl: "meubelmaker",
      pl: "stolarz meblowy",
    },
  },
  {
    tags: ["craft=printer", "shop=printing"],
    names: {
      en: "printing company, print shop, printing house, commercial printing, offset printing",
      de: "druckerei, offsetdruckerei, digitaldruck",
      es: "imprenta",
      fr: "imprimerie, imprimeur",
      it: "tipografia, stamperia",
      pt: "gráfica, tipografia",
      nl: "drukkerij",
      pl: "drukarnia",
      ja: "印刷会社, 印刷所",
    },
  },
  {
    tags: ["craft=interior_work", "craft=drywaller"],
    names: {
      en: "drywall contractor, drywall installer, dry lining",
      de: "trockenbau, trockenbauer, innenausbau",
      fr: "plaquiste",
      it: "cartongessista",
      nl: "afbouwbedrijf",
    },
  },
  {
    tags: ["craft=fence_maker"],
    names: {
      en: "fence company, fencing contractor, fence installation, fence builder",
      de: "zaunbau, zaunbauer",
      fr: "pose de clôture",
      nl: "hekwerk",
    },
  },
  {
    tags: ["craft=paver", "craft=paving"],
    names: {
      en: "paving contractor, paver, driveway paving, asphalt paving",
      de: "pflasterer, pflasterarbeiten, pflasterbau",
      nl: "stratenmaker",
      pl: "brukarz",
    },
  },
  {
    tags: ["craft=stove_fitter"],
    names: {
      en: "stove fitter, fireplace installer, stove installation",
      de: "ofenbauer, kaminbauer, ofensetzer, kachelofenbauer",
      fr: "poêlier, cheministe",
      pl: "zdun",
    },
  },
  {
    tags: ["craft=sun_protection"],
    names: {
      en: "awning installer, shutter installer, sun protection, awnings",
      de: "rollladenbau, rollladenbauer, sonnenschutz, markisen, jalousien",
      es: "toldos",
      fr: "storiste, store banne",
      it: "tende da sole",
      nl: "zonwering",
    },
  },
  {
    tags: ["craft=dental_technician", "healthcare=dental_technician"],
    names: {
      en: "dental laboratory, dental technician",
      de: "dentallabor, zahntechniker, zahntechnik",
      es: "laboratorio dental, protésico dental",
      fr: "laboratoire dentaire, prothésiste dentaire",
      it: "odontotecnico",
      nl: "tandtechnisch laboratorium",
      ja: "歯科技工所",
    },
  },
  {
    tags: ["craft=car_painter"],
    names: {
      en: "car painter, auto painting",
      de: "autolackierer, autolackiererei, fahrzeuglackierer",
      fr: "peintre automobile, carrossier peintre",
      nl: "autospuiterij",
      pl: "lakiernik samochodowy",
    },
  },
  {
    tags: ["craft=goldsmith"],
    names: {
      en: "goldsmith, silversmith",
      de: "goldschmied, goldschmiede",
      es: "orfebre",
      fr: "orfèvre",
      it: "orafo, oreficeria",
      nl: "goudsmid",
    },
  },
  {
    tags: ["craft=luthier", "craft=musical_instrument"],
    names: {
      en: "luthier, violin maker, guitar maker, instrument maker",
      de: "geigenbauer, gitarrenbauer, instrumentenbauer",
      es: "lutier",
      fr: "luthier, facteur d'instruments",
      it: "liutaio",
      nl: "vioolbouwer",
    },
  },
  {
    tags: ["craft=piano_tuner"],
    names: {
      en: "piano tuner, piano tuning",
      de: "klavierstimmer, klavierbauer",
      fr: "accordeur de piano",
      nl: "pianostemmer",
    },
  },
  {
    tags: ["craft=restoration"],
    names: {
      en: "furniture restoration, antique restoration, art restorer",
      de: "restaurator, möbelrestaurierung",
      es: "restaurador de muebles",
      fr: "restaurateur de meubles",
      it: "restauratore",
      nl: "restauratie",
    },
  },
  {
    tags: ["craft=stand_builder"],
    names: {
      en: "exhibition stand builder, exhibition stand contractor",
      de: "messebau, messebauer",
      fr: "standiste",
      it: "allestimenti fieristici",
      nl: "standbouwer",
    },
  },
  {
    tags: ["craft=toolmaker"],
    names: {
      en: "toolmaker, tool and die maker",
      de: "werkzeugbau, werkzeugmacher",
      fr: "outilleur",
      nl: "gereedschapmaker",
    },
  },
  {
    tags: ["craft=welder"],
    names: {
      en: "welder, welding contractor",
      de: "schweißer, schweißerei",
      es: "soldador, soldadura",
      fr: "soudeur",
      it: "saldatore",
      pt: "soldador",
      nl: "lasser, lasbedrijf",
      pl: "spawacz",
    },
  },
  {
    tags: ["craft=water_well_drilling"],
    names: {
      en: "well drilling, water well drilling, well driller",
      de: "brunnenbau, brunnenbauer, brunnenbohrer",
      es: "perforación de pozos",
      fr: "forage de puits, puisatier",
      pl: "studniarz",
    },
  },
  {
    tags: ["craft=engraver"],
    names: {
      en: "engraver, engraving",
      de: "graveur, gravuren",
      es: "grabador",
      fr: "graveur",
      it: "incisore",
      nl: "graveur",
    },
  },
  {
    tags: ["craft=embroiderer"],
    names: {
      en: "embroiderer, embroidery",
      de: "stickerei",
      fr: "broderie",
      it: "ricamificio",
      nl: "borduurbedrijf",
    },
  },
  {
    tags: ["office=logistics"],
    names: {
      en: "logistics company, freight forwarder, freight company, trucking company, haulage company",
      de: "spedition, logistik, logistikunternehmen, transportunternehmen",
      es: "empresa de transporte, transportista, logística",
      fr: "transporteur, transport routier, transitaire, logistique",
      it: "spedizioniere, autotrasporti, logistica",
      pt: "transportadora, logística",
      nl: "transportbedrijf, expediteur, logistiek",
      pl: "spedycja, firma transportowa, logistyka",
      ja: "運送会社, 物流会社",
    },
  },
  {
    tags: ["office=courier", "amenity=courier"],
    names: {
      en: "courier, courier service, parcel service",
      de: "kurierdienst, paketdienst, kurier",
      es: "mensajería",
      fr: "coursier, messagerie",
      it: "corriere",
      pt: "estafeta, motoboy",
      nl: "koeriersdienst",
      pl: "kurier",
    },
  },
  {
    tags: ["office=publisher"],
    names: {
      en: "publisher, publishing house, publishing company",
      de: "verlag, buchverlag",
      es: "editorial",
      fr: "maison d'édition, éditeur",
      it: "casa editrice, editore",
      pt: "editora",
      nl: "uitgeverij",
      pl: "wydawnictwo",
      ja: "出版社",
    },
  },
  {
    tags: ["office=interior_design", "craft=interior_decorator"],
    names: {
      en: "interior designer, interior design, interior decorator",
      de: "innenarchitekt, innenarchitektur, innendesign",
      es: "diseño de interiores, interiorista",
      fr: "architecte d'intérieur, décorateur d'intérieur",
      it: "architetto d'interni, arredatore",
      pt: "designer de interiores",
      nl: "interieurontwerper, interieurarchitect",
      pl: "projektant wnętrz",
      ja: "インテリアデザイナー",
    },
  },
  {
    tags: ["office=taxi", "amenity=taxi"],
    names: {
      en: "taxi, taxi service, taxi company, cab company",
      de: "taxi, taxiunternehmen, taxizentrale",
      es: "taxi",
      fr: "taxi",
      it: "taxi",
      pt: "táxi",
      nl: "taxi, taxibedrijf",
      pl: "taxi",
      ja: "タクシー会社, タクシー",
    },
  },
  {
    tags: ["amenity=animal_training"],
    names: {
      en: "dog trainer, dog training, dog school",
      de: "hundeschule, hundetrainer",
      es: "adiestrador de perros, adiestramiento canino",
      fr: "éducateur canin, école de chiens",
      it: "addestratore cani, educatore cinofilo",
      nl: "hondenschool",
      pl: "szkolenie psów",
      ja: "ドッグトレーニング",
    },
  },
  {
    tags: ["shop=truck"],
    names: {
      en: "truck dealer, commercial vehicle dealer",
      de: "lkw-händler, nutzfahrzeuge",
      es: "concesionario de camiones",
      fr: "concessionnaire poids lourds",
      nl: "vrachtwagendealer",
    },
  },
  {
    tags: ["shop=trailer"],
    names: {
      en: "trailer dealer, trailer store",
      de: "anhänger, anhängerhandel",
      fr: "vente de remorques",
      nl: "aanhangwagens",
    },
  },
];
