import type { OrganizationFact } from "../page-facts.ts";
import { cleanName, folded } from "../text/clean-text.ts";
import { marks } from "../text/marks.ts";
import { trimChars } from "../text/trim-chars.ts";
import type { Collector } from "./page-events.ts";

/**
 * The company's name, from places that state it. Never from the title: titles say "Home", "403
 * Forbidden", "Bot Verification", and once overwrote thousands of good names.
 */
export interface NameCollector extends Collector {
  finish(options: {
    readonly organizations: readonly OrganizationFact[];
    readonly siteName: string | undefined;
  }): string | undefined;
}

const legalForm =
  /(?:^|\s)(?:gmbh(?: ?& ?co\.? ?k?g?(?:aa)?)?|ggmbh|ag|kg|ohg|ug(?: ?\(haftungsbeschränkt\))?|gbr|e\.? ?k\.?|e\.? ?v\.?|ltd\.?|limited|llc|l\.l\.c\.|inc\.?|corp\.?|corporation|plc|llp|sarl|s\.à\.? ?r\.?l\.?|sàrl|sas|sasu|eurl|s\.?a\.?|srl|s\.r\.l\.?|s\.?p\.?a\.?|s\.?l\.?u?\.?|b\.?v\.?|n\.?v\.?|vof|lda\.?|ltda\.?|sp\. ?z ?o\.? ?o\.?|s\.r\.o\.?|kft\.?|oy|ab|as|aps|a\/s|pty\.? ltd\.?|co\., ltd\.?)$/i;
/** Longer than every legal form, including the space before it. */
const legalFormCharsMax = 32;
const japanese =
  /^(?:株式会社|有限会社|合同会社)\S{1,30}$|^\S{1,30}(?:株式会社|有限会社|合同会社)$/;
const copyright =
  /(?:©|\(c\)|copyright)\s{0,3}(?:©\s{0,3})?(?:(?:19|20)\d{2}\s{0,2}(?:[-–—/]\s{0,2}(?:(?:19|20)\d{2}|today|heute))?\s{0,3})?(?:by\s|von\s|,|-|–|\|)?\s{0,3}([^|©•·–]{2,80}?)(?=\s{0,3}(?:[|•·–]|$|\.\s|\ball rights|\balle rechte|\btous droits|\btodos los|\btutti i diritti|(?:19|20)\d{2}))/i;
const junk =
  /^(?:home|homepage|startseite|accueil|inicio|welcome|willkommen|my (?:site|blog|wordpress.*|website|store)|mysite|website|untitled|site title|index|test|demo|company name|your (?:company|site|name)|403.*|404.*|error.*|forbidden|just a moment.*|bot verification|access denied|attention required.*|page not found|coming soon|all rights reserved.*|alle rechte.*|tous droits.*|copyright.*|impressum|datenschutz|facebook|instagram|wordpress|wix(?:\.com)?|squarespace|shopify|by|design by.*|powered by.*|policy|release|see also.*|\d+)$/;

export function createNameCollector(): NameCollector {
  let legal: string | undefined;
  let owner: string | undefined;

  return {
    line({ text, marks: bits, where }) {
      if (text.length > 200) return;
      if (
        where !== "header" &&
        legal === undefined &&
        text.length < 90 &&
        (legalForm.test(text.slice(-legalFormCharsMax)) ||
          ((bits & marks.wide) !== 0 && japanese.test(text)))
      )
        legal = usable(
          text.replace(
            /^(?:firma|company|société|impressum|angaben gemäß[^:]{0,20})\s{0,2}:?\s/i,
            "",
          ),
        );
      if (owner === undefined && isOwned(text, bits))
        owner = usable(trimChars(copyright.exec(text)?.[1] ?? "", { end: /[\s.,]/ }));
    },
    finish({ organizations, siteName }) {
      const stated = organizations.find((one) => usable(one.name ?? one.legalName));
      return usable(stated?.name ?? stated?.legalName) ?? usable(siteName) ?? legal ?? owner;
    },
  };
}

const isOwned = (text: string, bits: number): boolean =>
  ((bits & marks.cue) !== 0 && /copyright/i.test(text)) ||
  ((bits & (marks.wide | marks.bracket)) !== 0 && /©|\(c\)/i.test(text));

function usable(text: string | undefined): string | undefined {
  const name = cleanName(text ?? "", 100).replace(
    /^(?:©|\(c\)|copyright|\s|(?:19|20)\d{2}|,)+/i,
    "",
  );
  if (name.length < 2 || /@|https?:|[:;?!]|\.\.\./.test(name) || name.split(" ").length > 10)
    return undefined;
  return junk.test(folded(name)) ? undefined : name;
}
