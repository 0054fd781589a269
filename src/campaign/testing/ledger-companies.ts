import type { Ledger } from "../../ledger/index.ts";
import type { CompanyWriter, FoundCompany, PutCompany } from "../places/company-writer.ts";

/** A CompanyWriter on a bare ledger: a company is identified by its place alone. */
export function createLedgerCompanies(ledger: Pick<Ledger, "read" | "write">): CompanyWriter {
  const put = async (found: FoundCompany): Promise<PutCompany> => {
    const { source, place, fields, firstFields } = found;
    const target = `company/${(place ?? "none").replaceAll("/", "-")}`;
    const before = await ledger.read(target);
    if (before.isForgotten) return { status: "suppressed" };
    const isNew = before.fields.length === 0;
    const all = isNew ? [...fields, ...firstFields] : fields;
    const changes = all.map(({ field, value }) => ({ target, field, value }));
    const { datagrams } = await ledger.write({ source, changes });
    const status = isNew ? "created" : datagrams.length > 0 ? "changed" : "unchanged";
    return { status, target };
  };
  return {
    async putAll(found) {
      const answers: PutCompany[] = [];
      for (const one of found) answers.push(await put(one));
      return answers;
    },
  };
}
