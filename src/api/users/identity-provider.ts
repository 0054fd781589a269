import { createHash } from "node:crypto";
import { roles, type Role } from "../contract/roles.ts";

/** Signs people in elsewhere: their organisation knows who they are and which groups they are in. */
export interface IdentityProvider {
  /** Where the browser goes to sign in. `isFresh`: the provider must ask for the password again. */
  begin(options: { readonly redirectUri: string; readonly isFresh: boolean }): Promise<BegunSignIn>;
  /**
   * Checks what the browser came back with. Throws `invalid` (provider_refused) if it does not belong
   * to `pending` or the provider does not confirm it, `unavailable` if the provider does not answer.
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

/** What the browser has to bring back: it belongs to this one sign-in. */
export interface PendingSignIn {
  readonly redirectUri: string;
  readonly isFresh: boolean;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface ProvedPerson {
  /** The provider's name for the person, which no other person ever gets. */
  readonly subject: string;
  /** What people call them. It may change, and others may choose the same. */
  readonly label: string;
  readonly groups: readonly string[];
  /** When the provider last asked for the password; undefined: it did not say. */
  readonly provedMs: number | undefined;
}

/** The highest role of all groups; undefined: none of them has one. */
export function roleOfGroups(
  groups: readonly string[],
  roleOfGroup: ReadonlyMap<string, Role>,
): Role | undefined {
  const found = new Set(groups.map((group) => roleOfGroup.get(group)));
  return roles.toReversed().find((role) => found.has(role));
}

/** `staff=viewer,admins=admin`. The last `=` separates. */
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
 * What audit log, history and lists call the person: `anna@example.org (oidc:SUBJECT)`. The subject
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
