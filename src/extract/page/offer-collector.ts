import { nodesOf, textOf, type StructuredNode } from "../structured/structured-node.ts";
import { cleanName, folded } from "../text/clean-text.ts";
import { trimChars } from "../text/trim-chars.ts";
import type { Collector, PageLine } from "./page-events.ts";

/** What a company offers: lists below a matching heading, or structured data. */
export interface OfferCollector extends Collector {
  finish(nodes: readonly StructuredNode[]): {
    readonly services: readonly string[];
    readonly products: readonly string[];
  };
}

const serviceWords =
  /^(?:(?:our|the|all|unsere?|nos|notre|nuestros|i nostri|nossos|onze|nasze) )?(?:\w{1,20} )?(?:services?|what we (?:do|offer)|specialt(?:y|ies)|capabilities|leistungen?|leistungsspektrum|dienstleistungen|angebote?|was wir (?:tun|bieten)|schwerpunkte|prestations?|metiers?|savoir-?faire|servicios|que hacemos|especialidades|servizi|cosa facciamo|servicos|diensten|wat wij doen|uslugi|oferta|tjanster|業務内容|サービス|事業内容)(?: (?:we offer|im uberblick|overview|offered|und mehr|proposes))?[.:!]?$/u;
const productWords =
  /^(?:(?:our|the|all|unsere?|nos|nuestros|i nostri|nossos|onze|nasze) )?(?:products?|product range|brands?|produkte?|sortiment|produktpalette|marken|produits?|gamme|productos|prodotti|produtos|producten|produkty|商品|製品)[.:!]?$/u;
/** Common list entries of menus, cards and cookie notices. */
const junk =
  /^(?:home|start(?:seite)?|accueil|inicio|about.*|uber uns|contact.*|kontakt.*|impressum|imprint|datenschutz.*|privacy.*|cookies?.*|agb|terms.*|login|log ?in|sign ?(?:in|up)|register|search|suche|menu|menue|more|mehr.*|read more.*|learn more.*|weiterlesen|en savoir plus|lire la suite|leer mas|ver mas|scopri.*|leggi.*|all services|services|leistungen|products|produkte|next|previous|back|zuruck|blog|news|faq.*|gallery|galerie|jobs|karriere|careers|team|sitemap|download.*|share|tweet|facebook|instagram|twitter|linkedin|youtube|whatsapp|english|deutsch|francais|espanol|italiano|en|de|fr|es|it|skip to.*|book now|jetzt.*|call.*|buy now|add to cart|in den warenkorb|view.*|show.*|©.*|all rights.*|mon.*\d.*|mo.*\d.*|opening.*|offnungszeiten.*)$/;
const itemsMax = 40;
const itemEnds = { start: /[\s•·*–—>›✓✔-]/, end: /[\s:;,.]/ };

export function createOfferCollector(): OfferCollector {
  const found = { services: new Map<string, string>(), products: new Map<string, string>() };
  let section: { readonly kind: "services" | "products"; readonly level: number } | undefined;
  let items = 0;

  function line({ text, where, block, heading: level }: PageLine): void {
    if (where !== "body") return;
    if (level > 0) {
      const kind = kindOf(text);
      if (kind) {
        section = { kind, level };
        items = 0;
        return;
      }
      if (section && level <= section.level) section = undefined;
    }
    if (section && (block === "li" || level > section.level)) add(section.kind, text);
    // After many items it is another list.
    if (section && ++items > 120) section = undefined;
  }

  function add(kind: "services" | "products", text: string): void {
    const name = cleanName(trimChars(text, itemEnds), 80);
    const isOffer =
      name.length >= 3 &&
      name.length <= 60 &&
      name.split(" ").length <= 8 &&
      !/@|https?:|\d{5,}|[€$£]\s?\d/.test(name);
    if (isOffer && !junk.test(folded(name)) && found[kind].size < itemsMax)
      found[kind].set(folded(name), name);
  }

  return {
    line,
    finish(nodes) {
      for (const node of nodes) for (const [kind, name] of statedIn(node)) add(kind, name);
      return { services: [...found.services.values()], products: [...found.products.values()] };
    },
  };
}

function kindOf(text: string): "services" | "products" | undefined {
  if (text.length > 60) return undefined;
  const plain = folded(text).trim();
  return serviceWords.test(plain) ? "services" : productWords.test(plain) ? "products" : undefined;
}

function statedIn(node: StructuredNode): readonly (readonly ["services" | "products", string])[] {
  const name = textOf(node, "name");
  if (name === undefined) return [];
  if (node.types.includes("Service")) return [["services", name]];
  if (node.types.includes("Product")) return [["products", name]];
  const isOffer = node.types.includes("Offer") && nodesOf(node, "itemOffered").length === 0;
  return isOffer ? [["services", name]] : [];
}
