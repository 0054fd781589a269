/**
 * Who may do what in a bucket: the one table from which policies, the template of the infrastructure,
 * the page and `forager doctor --permissions` come. Everybody may list and read.
 */
export const roleNames = ["node", "hub", "dashboard", "publisher"] as const;
export type RoleName = (typeof roleNames)[number];

/**
 * - `create`: write an object that is not there;
 * - `replace`: create it, or write over the content that was read;
 * - `write`: write over whatever is there;
 * - `delete`.
 */
export type Right = "create" | "replace" | "write" | "delete";

export const roleSummaries: Readonly<Record<RoleName, string>> = {
  node: "a machine that works: `forager up` or `forager work`",
  hub: "a node that also writes checkpoints and deletes what they hold",
  dashboard: "a machine where people work: the dashboard, and commands for the fleet",
  publisher: "writes the bucket of a published site, which is not the fleet's",
};

export interface KeyRights {
  /** Below the prefix of the bucket's address. `*` is any text; `NODE` the id of the own node. */
  readonly key: string;
  readonly rights: readonly Right[];
}

const probe: KeyRights = { key: "probe/*", rights: ["write", "delete"] };

/** What adds tasks, does them and shares what is written on a machine. */
const common: readonly KeyRights[] = [
  { key: "queue.json", rights: ["create"] },
  { key: "shards/*", rights: ["replace"] },
  { key: "control.json", rights: ["replace"] },
  { key: "bell", rights: ["write"] },
  { key: "payloads/*", rights: ["create", "delete"] },
  { key: "done/*", rights: ["write", "delete"] },
  { key: "lease/*", rights: ["replace"] },
  { key: "ledger/wal/NODE/*", rights: ["create"] },
  { key: "ledger/heads/NODE.json", rights: ["replace"] },
  { key: "fleet/logs/NODE.jsonl", rights: ["write"] },
  { key: "fleet/desired.json", rights: ["replace"] },
  { key: "webhooks/endpoints.json", rights: ["replace"] },
  { key: "exports/positions/*", rights: ["replace"] },
  { key: "forager-exports-*", rights: ["write", "delete"] },
  probe,
];

const node: readonly KeyRights[] = [
  ...common,
  { key: "places/*", rights: ["write"] },
  { key: "handlers/*", rights: ["write", "delete"] },
];

export const roles: Readonly<Record<RoleName, readonly KeyRights[]>> = {
  node,
  hub: [
    ...node,
    { key: "ledger/wal/*", rights: ["replace", "delete"] },
    { key: "ledger/checkpoint/*", rights: ["create", "delete"] },
    { key: "ledger/part/*", rights: ["write", "delete"] },
    { key: "ledger/archive/*", rights: ["replace", "delete"] },
    { key: "ledger/archive-scrubbed", rights: ["write"] },
    { key: "ledger/boundary.json", rights: ["replace"] },
  ],
  dashboard: [
    ...common,
    { key: "places/*", rights: ["write", "delete"] },
    { key: "campaigns/configs/*", rights: ["replace"] },
    { key: "fleet/users.json", rights: ["replace"] },
  ],
  publisher: [{ key: "*", rights: ["write", "delete"] }],
};

export interface RoleScope {
  /** Of the bucket's address, without slashes at its ends; empty: none. */
  readonly prefix: string;
  /** Only the folders of this node; absent: of any. */
  readonly node?: string | undefined;
}

/** Keys of the bucket, with `*` for any text, on which a role has a right. */
export const keysWith = (role: RoleName, right: Right, scope: RoleScope): readonly string[] =>
  roles[role].filter(({ rights }) => rights.includes(right)).map(({ key }) => inScope(key, scope));

export const inScope = (key: string, { prefix, node: own = "*" }: RoleScope): string =>
  `${prefix === "" ? "" : `${prefix}/`}${key.replace("NODE", own)}`;
