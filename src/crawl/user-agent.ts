import { AppError } from "../base/app-error.ts";
import { contactForm, isContactAddress, isMailbox } from "../base/text/contact-address.ts";

export interface UserAgentOptions {
  /** Our name in robots.txt: letters, "-" and "_" only. */
  readonly token: string;
  readonly version: string;
  /**
   * A web page or an email address by which the owner of a site reaches the operator of this crawl.
   */
  readonly contact: string;
}

/** Our name in robots.txt, without a version. */
export const robotsToken = "forager";

/**
 * The User-Agent header: who we are and whom to contact, in the form that site owners look for in
 * their logs.
 */
export function userAgentOf({ token, version, contact }: UserAgentOptions): string {
  if (!/^[A-Za-z_-]+$/.test(token)) {
    throw bad(`"${token}" cannot be named in a robots.txt: use letters, "-" and "_" alone`);
  }
  if (!isContactAddress(contact)) {
    throw bad(`"${contact}" is not a way to reach you: give ${contactForm}`);
  }
  return `${token}/${version} (+${isMailbox(contact) ? "mailto:" : ""}${contact})`;
}

const bad = (message: string) => new AppError("invalid", "bad_user_agent", message);
