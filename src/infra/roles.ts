/**
 * The rights of each role in a bucket. Policies, the CloudFormation template, the guide and
 * `forager doctor --permissions` are all based on this table. Every role may list and read.
 */
export const roleNames = ["node", "hub", "dashboard", "publisher"] as const;
export type RoleName = (typeof roleNames)[number];

/**
 * - `create`: write an object that does not exist yet;
 * - `replace`: create an object, or overwrite it if it still has the content that was read;
 * - `write`: write an object unconditionally;
 * - `delete`: delete an object.
 */
export type Right = "create" | "replace" | "write" | "delete";

export const roleSummaries: Readonly<Record<RoleName, string>> = {
  node: "a machine that runs tasks, with `forager up` or `forager work`",
  hub: "a node that also writes checkpoints and deletes the journals that they contain",
  dashboard: "a machine that people use: it runs the dashboard, and commands for the fleet",
  publisher: "writes the bucket of a published site, which is separate from the fleet's bucket",
};

export interface KeyRights {
  /** Relative to the prefix of the bucket's address. `*` matches any text; `NODE` is the id of this node. */
  readonly key: string;
  readonly rights: readonly Right[];
}

const probe: KeyRights = { key: "probe/*", rights: ["write", "delete"] };

/** Needed to add and run tasks, and to share this machine's changes. */
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
  { key: "fleet/logs/NODE.attempts.jsonl", rights: ["write"] },
  { key: "fleet/desired.json", rights: ["replace"] },
  { key: "webhooks/endpoints.json", rights: ["replace"] },
  { key: "exports/positions/*", rights: ["replace"] },
  { key: "forager-exports-*", rights: ["write", "delete"] },
  probe,
];

/** Written by `forager fleet finish-upgrade`. */
const endOfUpgrade: KeyRights = { key: "queue.json", rights: ["replace"] };

const node: readonly KeyRights[] = [
  ...common,
  { key: "places/*", rights: ["write"] },
  { key: "handlers/*", rights: ["write", "delete"] },
];

export const roles: Readonly<Record<RoleName, readonly KeyRights[]>> = {
  node,
  hub: [
    ...node,
    endOfUpgrade,
    { key: "ledger/wal/*", rights: ["replace", "delete"] },
    { key: "ledger/checkpoint/*", rights: ["create", "delete"] },
    { key: "ledger/part/*", rights: ["write", "delete"] },
    { key: "ledger/archive/*", rights: ["replace", "delete"] },
    { key: "ledger/archive-scrubbed", rights: ["write"] },
    { key: "ledger/boundary.json", rights: ["replace"] },
  ],
  dashboard: [
    ...common,
    endOfUpgrade,
    { key: "places/*", rights: ["write", "delete"] },
    { key: "campaigns/configs/*", rights: ["replace"] },
    { key: "fleet/users.json", rights: ["replace"] },
  ],
  publisher: [{ key: "*", rights: ["write", "delete"] }],
};

export interface RoleScope {
  /** Prefix of the bucket's address, without leading or trailing slash; empty if there is none. */
  readonly prefix: string;
  /** Limits the rights to the folders of this node; absent: the folders of all nodes. */
  readonly node?: string | undefined;
}

/** The keys on which a role has a right; `*` matches any text. */
export const keysWith = (role: RoleName, right: Right, scope: RoleScope): readonly string[] =>
  roles[role].filter(({ rights }) => rights.includes(right)).map(({ key }) => inScope(key, scope));

export const inScope = (key: string, { prefix, node: own = "*" }: RoleScope): string =>
  `${prefix === "" ? "" : `${prefix}/`}${key.replace("NODE", own)}`;
