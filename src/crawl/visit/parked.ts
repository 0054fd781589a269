/** Hosts whose pages only say that a domain is for sale. */
const parkingSites =
  /(?:^|\.)(?:sedoparking|sedo|hugedomains|dan|afternic|bodis|parkingcrew|above|undeveloped|domainmarket|buydomains|uniregistry|brandbucket|namebright|parklogic|parked)\.(?:com|net|io)$/;

const saleWords = [
  /\b(?:this |the )?domain(?: name)?(?: \S{1,80})? (?:is|may be) (?:for sale|available for purchase|parked)\b/,
  /\bbuy this domain\b/,
  /\bparked (?:free|domain|page)\b/,
  /\bdomain (?:parking|is parked)\b/,
  /\bdiese domain (?:steht zum verkauf|ist geparkt|kaufen)/,
  /\bce (?:nom de )?domaine est (?:à vendre|en vente|réservé|parqué)/,
  /\beste dominio está (?:en venta|aparcado|a la venta)/,
  /\bquesto dominio è (?:in vendita|parcheggiato)/,
  /\bdeze domeinnaam is (?:te koop|geregistreerd|geparkeerd)/,
];
/** A company's page that contains such words has much other text. */
const textCharsMax = 3_000;

/** `text`: the visible text of the home page. */
export function looksParked({
  url,
  text,
}: {
  readonly url: string;
  readonly text: string;
}): boolean {
  if (parkingSites.test(new URL(url).hostname)) return true;
  if (text.length > textCharsMax) return false;
  const folded = text.toLowerCase().replaceAll(/\s+/g, " ");
  return saleWords.some((words) => words.test(folded));
}
