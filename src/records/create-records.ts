import { createId } from "../base/ids.ts";
import type { Change, Commit } from "../ledger/index.ts";
import { idOf } from "./fields/company.ts";
import { throwFilesBehind, type RecordsContext, type WrittenCommit } from "./context.ts";
import { createPlanner, type CreatePlan } from "./change/create.ts";
import { declareHashedIds } from "./change/id-form.ts";
import { companyPrefix, personPrefix } from "./fields/fields.ts";
import { catchUp } from "./follow/follow-ledger.ts";
import { recordOf } from "./search/gathering-index.ts";
import { checkId, firstText, randomLength } from "./fields/identity.ts";
import { worthWriting } from "./change/machine-facts.ts";
import { personTarget } from "./fields/person.ts";
import type { Created, CreatePersonRequest, CreateRequest } from "./records.ts";
import { slugOf } from "./files/slug.ts";

/** The number of commits that are written and rendered together. */
const chunkSize = 200;

export async function writeAll(context: RecordsContext, commits: readonly Commit[]) {
  let written = 0;
  for (let at = 0; at < commits.length; at += chunkSize) {
    const all = await writeSome(context, commits.slice(at, at + chunkSize));
    const how = { isJoined: isBulk(commits) };
    if (context.isDue(all))
      await context.run(() => context.renderWritten(all, how)).catch(throwFilesBehind);
    written += all.reduce((sum, one) => sum + one.written.datagrams.length, 0);
  }
  return { written };
}

/** For many commits, as in an import, commits of the index are joined. */
const isBulk = (all: readonly unknown[]): boolean => all.length >= chunkSize;

const writeSome = (
  { ledger }: RecordsContext,
  commits: readonly Commit[],
): Promise<readonly WrittenCommit[]> =>
  Promise.all(
    commits.map(worthWriting).map(async (commit) => {
      return { commit, written: await ledger.write(commit) };
    }),
  );

export async function createAll(
  context: RecordsContext,
  requests: readonly CreateRequest[],
): Promise<readonly Created[]> {
  const { ledger, stored, random } = context;
  const planner = createPlanner({ ledger, index: stored, random });
  const created: Created[] = [];
  for (let at = 0; at < requests.length; at += chunkSize) {
    const some = requests.slice(at, at + chunkSize);
    // Planned and written without other work in between: if two requests are for the same company,
    // the second finds what the first created.
    const { plans, outcomes } = await context.run(async () => {
      await catchUp(context, { isUnbroken: true });
      const made: CreatePlan[] = [];
      for (const request of some) made.push(await planner.plan(request));
      if (made.some(({ outcome }) => outcome === "created")) await declareHashedIds(context);
      const commits = made.flatMap(({ commit }) => (commit ? [commit] : []));
      const all = await writeSome(context, commits);
      // Known records already have their files: they were rendered before or just caught up.
      const fresh = all.filter(({ written }) => written.datagrams.length > 0);
      const how = { isJoined: isBulk(requests) };
      if (fresh.length > 0) await context.renderWritten(fresh, how).catch(throwFilesBehind);
      return { plans: made, outcomes: [...all] };
    });
    for (const { outcome, target, leftOut, commit, kept, alike } of plans) {
      const written = commit ? outcomes.shift()!.written.datagrams.length : 0;
      const slug = slugNow(context, target);
      const samePhone = alike.map((one) => slugNow(context, one)).filter((one) => one !== "");
      created.push({ outcome, target, slug, leftOut, kept, samePhone, written });
    }
  }
  return created;
}

/** `owner` is the target of the company to which the person belongs. */
export async function createPerson(
  context: RecordsContext,
  { id = createId(context.random, randomLength), source, fields, role }: CreatePersonRequest,
  owner: string | undefined,
): Promise<Created> {
  checkId(id);
  const target = personTarget(id);
  const { isForgotten, fields: known } = await context.ledger.read(target);
  if (isForgotten) {
    const leftOut = Object.keys(fields);
    return {
      outcome: "suppressed",
      target,
      slug: "",
      written: 0,
      leftOut,
      kept: [],
      samePhone: [],
    };
  }
  // Everything is one commit, so a repeated request has nothing left to write.
  if (known.length > 0) {
    await context.run(() => catchUp(context));
    const slug = slugNow(context, target);
    return { outcome: "created", target, slug, written: 0, leftOut: [], kept: [], samePhone: [] };
  }
  const slug = slugOf(firstText(fields["slug"], fields["name"], id), id);
  const changes: Change[] = Object.entries({ ...fields, slug }).map(([field, value]) => {
    return { target, field, value };
  });
  if (owner !== undefined) {
    const value = role === undefined ? true : { role };
    changes.push({ target, field: `${companyPrefix}${idOf(owner)}`, value });
    changes.push({ target: owner, field: `${personPrefix}${id}`, value });
  }
  const { datagrams } = await context.write({ source, changes });
  const given = slugNow(context, target) || slug;
  const written = datagrams.length;
  return { outcome: "created", target, slug: given, written, leftOut: [], kept: [], samePhone: [] };
}

/** "" if it is not in the index. */
function slugNow({ stored }: RecordsContext, target: string): string {
  const found = stored.find(target);
  return found ? recordOf(found).slug : "";
}
