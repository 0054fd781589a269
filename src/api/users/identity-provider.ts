import { createHash } from "node:crypto";
import { roles, type Role } from "../contract/roles.ts";

/** An external service that signs people in and knows their groups. */
export interface IdentityProvider {
  /**
   * Returns the URL that the browser goes to. `isFresh`: the provider must ask for the password
   * again.
   */
  begin(options: { readonly redirectUri: string; readonly isFresh: boolean }): Promise<BegunSignIn>;
  /**
   * Validates the query with which the browser returned. Throws `invalid` (provider_refused) if it
   * does not belong to `pending` or the provider does not confirm it, `unavailable` if the provider
   * does not answer.
   */
  finish(options: {
    readonly search: string;
    readonly pending: PendingSignIn;
  }): Promise<ProvedPerson>;
}

export interface BegunSignIn {
  readonly url: string;
  readonly pending: PendingSignIn;
}

/** The state of one sign-in, which the browser must return. */
export interface PendingSignIn {
  readonly redirectUri: string;
  readonly isFresh: boolean;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface ProvedPerson {
  /** The provider's permanent id of the person (`sub`); it is never reused. */
  readonly subject: string;
  /** A name for display. It may change, and is not unique. */
  readonly label: string;
  readonly groups: readonly string[];
  /** When the provider last asked for the password; undefined if it did not say. */
  readonly provedMs: number | undefined;
}

/** The highest role of all groups; undefined if no group has a role. */
export function roleOfGroups(
  groups: readonly string[],
  roleOfGroup: ReadonlyMap<string, Role>,
): Role | undefined {
  const found = new Set(groups.map((group) => roleOfGroup.get(group)));
  return roles.toReversed().find((role) => found.has(role));
}

/** `staff=viewer,admins=admin`. The last `=` separates group and role. */
export function parseGroupRoles(text: string): ReadonlyMap<string, Role> {
  const pairs = text.split(",").filter((pair) => pair !== "");
  return new Map(
    pairs.map((pair) => {
      const at = pair.lastIndexOf("=");
      return [pair.slice(0, at), roles.find((role) => role === pair.slice(at + 1))!];
    }),
  );
}

const labelMax = 64;

/**
 * The person's name in the audit log, history and lists: `anna@example.org (oidc:SUBJECT)`. The subject
 * makes it unique, and no user with a password can have such a name.
 */
export function providerUserName({ subject, label }: ProvedPerson): string {
  const shown = label.replaceAll(/[^\w.+@-]/g, "_").slice(0, labelMax);
  const isPlain = /^[\w.|@:+-]{1,100}$/.test(subject);
  const unique = isPlain
    ? subject
    : createHash("sha256").update(subject).digest("hex").slice(0, 40);
  return shown === "" || shown === unique ? `oidc:${unique}` : `${shown} (oidc:${unique})`;
}
