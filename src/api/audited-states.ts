import {
  findDeleted,
  auditedRecords,
  readSuppressionKey,
  type RecordKind,
} from "../records/index.ts";
import { auditedQueue } from "../queue/index.ts";
import { auditedSchedule } from "../schedule/index.ts";
import { contract, type Contract, type RouteName } from "./contract/contract.ts";
import type { HandlerInput, RouteContext } from "./handler.ts";
import { readViews } from "./saved-views.ts";
import { describeToken } from "./users/manage-tokens.ts";
import { describeUser, find } from "./users/manage-users.ts";

type Read = () => Promise<unknown>;

/**
 * Finds the object that a request is about to change. The returned function reads its state, before
 * and after the change; it returns undefined if there is no such object.
 */
type StateOf<N extends RouteName> = (
  input: HandlerInput<Contract[N]>,
  context: RouteContext,
) => Read | Promise<Read>;

type ChangeRoute = { [N in RouteName]: Contract[N]["method"] extends "GET" ? never : N }[RouteName];

/** Why a route has no state to compare. Its entry has only the input and the response. */
const reasons = {
  isNew: "it only adds something, which the answer contains",
  isRead: "it changes nothing that is stored",
  isSecret: "the changed value is a secret",
  isForgotten: "forgotten data must not stay in the log: the answer contains only its id",
  isBulk: "it changes many records: each has its own history, and the answer contains their number",
  isSession: "it starts or ends sessions, and the answer names their user",
} as const;

type Named = { readonly params: { readonly name: string } };
type OfJob = { readonly params: { readonly job: string } };
type OfCampaign = { readonly params: { readonly campaign: string } };
type OfUser = { readonly params: { readonly user: string } };
type OfWebhook = { readonly params: { readonly webhook: string } };
type OfValues = {
  readonly body: { readonly values: readonly string[]; readonly country?: string | undefined };
};
type OfView = { readonly params: { readonly screen: string; readonly view: string } };
type OfSchedule = { readonly params: { readonly schedule: string } };

/** For every route that is not GET: what the audit log compares, or why there is nothing to compare. */
export const auditedStates: { readonly [N in ChangeRoute]: StateOf<N> | keyof typeof reasons } = {
  createLink: "isSession",
  login: "isSession",
  acceptLink: "isSecret",
  logout: "isSession",
  confirmLogin: "isSession",
  changePassword: "isSecret",
  endSession:
    ({ params }, { access }) =>
    async () => {
      const found = access.sessions.list().find(({ id }) => id === params.id);
      return found && { user: found.user, by: found.by, address: found.address };
    },
  addUser: ({ body }, context) => user(context, body.name),
  setUserRole: ofUser,
  makeUserLink: ofUser,
  removeUser: ofUser,
  addToken: "isNew",
  revokeToken:
    ({ params }, { access }) =>
    async () => {
      const found = (await access.accounts()).tokens.find(({ id }) => id === params.id);
      return found && describeToken(found);
    },
  giveCommand: ofFleet,
  undoCommand: ofFleet,
  addTasks: "isNew",
  raiseTask: async ({ params }, { queue }) => {
    const opened = await queue();
    return () => auditedQueue.task(opened, params.id);
  },
  setJob: ofJob,
  pauseJob: ofJob,
  resumeJob: ofJob,
  sealJob: ofJob,
  cancelJob: ofJob,
  setGate: async ({ params }, { queue }) => {
    const opened = await queue();
    return () => auditedQueue.gate(opened, params.gate);
  },
  retryTasks: ofTasks,
  purgeTasks: ofTasks,
  pruneLog: ofTasks,
  reconcileQueue: ofTasks,
  createCompany: "isNew",
  editCompany: ofCompany,
  addCompanyEntry: ofCompany,
  tagCompany: ofCompany,
  excludeCompany: ofCompany,
  restoreCompany: (input, context) => restored("company")(input, context),
  deleteCompany: ofCompany,
  forgetCompany: "isForgotten",
  createPerson: "isNew",
  editPerson: ofPerson,
  addPersonEntry: ofPerson,
  tagPerson: ofPerson,
  restorePerson: (input, context) => restored("person")(input, context),
  deletePerson: ofPerson,
  forgetPerson: "isForgotten",
  restoreConflict:
    ({ body }, { node }) =>
    () =>
      auditedRecords(node.ledger, [body.target]),
  mergeCompany: ({ params, body }, context) => records(context, "company", params.name, body.into),
  unmergeCompany: ofCompany,
  distinctCompanies: ({ params, body }, context) =>
    records(context, "company", params.name, body.other),
  resolveCompanies: "isBulk",
  repairCampaigns: "isBulk",
  saveCampaignConfig: ofConfig,
  createCampaign: "isNew",
  planCampaign: "isNew",
  dispatchCampaign: "isNew",
  pauseCampaign: ofCampaignJob,
  resumeCampaign: ofCampaignJob,
  removeCampaign: ofConfig,
  exportChanges: "isRead",
  exportNewCompanies: "isRead",
  exportNewEmails: "isRead",
  selectCompanies: "isRead",
  tagSelection: "isBulk",
  excludeSelection: "isBulk",
  undoCompanySelection: "isBulk",
  stopCompanySelection: "isBulk",
  selectTasks: "isRead",
  retrySelection: "isBulk",
  purgeSelection: "isBulk",
  stopTaskSelection: "isBulk",
  putSchedule: ofSchedule,
  pauseSchedule: ofSchedule,
  resumeSchedule: ofSchedule,
  runSchedule: "isNew",
  removeSchedule: ofSchedule,
  putView: ofView,
  removeView: ofView,
  publishSite: ({ body }, { sites }) => async () => sites.list().find((site) => site.target === body.target), // prettier-ignore
  addSuppressions: ofSuppressions,
  checkSuppressions: "isRead",
  followLogs: "isRead",
  removeSuppressions: ofSuppressions,
  addWebhook: "isNew",
  removeWebhook: ofWebhook,
  rotateWebhook: ofWebhook,
  enableWebhook: ofWebhook,
  testWebhook: "isRead",
  replayDelivery: "isNew",
};

/** True if neither input nor response is recorded, because they are personal data or a password. */
export const isUnrecorded = (name: RouteName): boolean =>
  contract[name].path.startsWith("/api/suppressions") ||
  (auditedStates as Readonly<Record<string, unknown>>)[name] === "isSecret";

/** True if the input names the person who is to be erased. */
export const isForgetting = (name: RouteName): boolean =>
  (auditedStates as Readonly<Record<string, unknown>>)[name] === "isForgotten";

const user =
  ({ access }: RouteContext, name: string): Read =>
  async () => {
    const found = find(await access.accounts(), name);
    return found && describeUser(found);
  };
function ofUser({ params }: OfUser, context: RouteContext): Read {
  return user(context, params.user);
}

function ofFleet(_: unknown, { fleet }: RouteContext): Read {
  return async () =>
    Object.fromEntries((await fleet.show()).entries.map(({ scope, key, value }) => [`${scope} ${key}`, value])); // prettier-ignore
}

async function job({ queue }: RouteContext, name: string): Promise<Read> {
  const opened = await queue();
  return () => auditedQueue.job(opened, name);
}
function ofJob({ params }: OfJob, context: RouteContext): Promise<Read> {
  return job(context, params.job);
}
/** The tasks of a campaign belong to the job of the same name. */
function ofCampaignJob({ params }: OfCampaign, context: RouteContext): Promise<Read> {
  return job(context, params.campaign);
}
async function ofTasks(_: unknown, { queue }: RouteContext): Promise<Read> {
  const opened = await queue();
  return () => auditedQueue.counts(opened);
}

async function records(
  { node }: RouteContext,
  kind: RecordKind,
  ...names: readonly string[]
): Promise<Read> {
  const found = await Promise.all(names.map((name) => node.records.resolve(kind, name)));
  const targets = found.filter((target) => target !== undefined);
  return () => auditedRecords(node.ledger, targets);
}
/** A deleted record has no name any more, so it is looked up in the log. */
const restored =
  (kind: RecordKind) =>
  async ({ params }: Named, context: RouteContext): Promise<Read> => {
    const { ledger, records: known } = context.node;
    const isKnown = (await known.resolve(kind, params.name)) !== undefined;
    if (isKnown) return records(context, kind, params.name);
    const isTarget = params.name.startsWith(`${kind}/`);
    const target = isTarget ? params.name : (await findDeleted(ledger, kind, params.name))?.target;
    return () => auditedRecords(ledger, target === undefined ? [] : [target]);
  };
function ofCompany({ params }: Named, context: RouteContext): Promise<Read> {
  return records(context, "company", params.name);
}
function ofPerson({ params }: Named, context: RouteContext): Promise<Read> {
  return records(context, "person", params.name);
}

function ofConfig({ params }: OfCampaign, { campaigns }: RouteContext): Read {
  return async () => ({ text: await campaigns.readConfig(params.campaign) });
}

function ofSchedule({ params }: OfSchedule, { node }: RouteContext): Read {
  return () => auditedSchedule(node.ledger, params.schedule);
}

function ofView({ params }: OfView, { node }: RouteContext): Read {
  return async () =>
    (await readViews(node.ledger)).find(({ screen, name }) => screen === params.screen && name === params.view); // prettier-ignore
}

function ofWebhook({ params }: OfWebhook, { webhooks }: RouteContext): Read {
  return async () => (await webhooks.list()).find(({ id }) => id === params.webhook);
}

/** Records the number of values only: the list can be long, and the entry must not name anybody. */
function ofSuppressions({ body }: OfValues, { node }: RouteContext): Read {
  const { values, country } = body;
  const keys = values.flatMap((value) => readSuppressionKey(value, { country }) ?? []);
  return async () => ({ listed: (await node.ledger.suppressed(keys)).length });
}
