import { AppError } from "../base/app-error.ts";
import { contactForm, isContactAddress, isMailbox } from "../base/contact-address.ts";

export interface UserAgentOptions {
  /** Letters, "-" and "_" alone: what robots.txt names us by. */
  readonly token: string;
  readonly version: string;
  /** A page or a mailbox where the owner of a site reaches whoever runs this crawl. */
  readonly contact: string;
}

/** The name robots.txt is asked for, without a version. */
export const robotsToken = "forager";

/** Who we are and whom to write to, in the form that owners of sites look for in their logs. */
export function userAgentOf({ token, version, contact }: UserAgentOptions): string {
  if (!/^[A-Za-z_-]+$/.test(token)) {
    throw bad(`"${token}" cannot be named in a robots.txt: use letters, "-" and "_" alone`);
  }
  if (!isContactAddress(contact)) {
    throw bad(`"${contact}" is no way to reach you: give ${contactForm}`);
  }
  return `${token}/${version} (+${isMailbox(contact) ? "mailto:" : ""}${contact})`;
}

const bad = (message: string) => new AppError("invalid", "bad_user_agent", message);
