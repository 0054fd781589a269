import type { Scope } from "./route.ts";

export const roles = ["viewer", "editor", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

const viewer: readonly Scope[] = [
  "status:read",
  "queue:read",
  "companies:read",
  "campaigns:read",
  "fleet:read",
];
const editor: readonly Scope[] = [...viewer, "companies:write", "campaigns:write", "exports:read"];
const operator: readonly Scope[] = [...editor, "queue:write", "fleet:command", "webhooks:write"];
const admin: readonly Scope[] = [...operator, "audit:read", "users:admin"];

/** The scopes of each role. docs/guides/users.md shows this table. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = { viewer, editor, operator, admin }; // prettier-ignore
