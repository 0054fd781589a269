import { createSeededRandom } from "../../base/random.ts";
import { companyTarget } from "../fields/company.ts";
import { companyIds } from "../fields/identity.ts";

/** The target of a company that was made from a domain, or from a place as in `osm.node.1`. */
export const targetOfKey = (key: string): string =>
  companyTarget(companyIds({ fields: {}, key }, createSeededRandom(1)).id);
