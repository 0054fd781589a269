/**
 * A mailbox or a page by which the owner of a website can reach the person who runs Forager. It is
 * sent in a header with every request: only printable ASCII, and no brackets, which would end the
 * comment in the header.
 */
const contact = /^[!-'*-;=?-~]+$/;

export const isMailbox = (text: string): boolean =>
  contact.test(text) && /^[^@/]+@[^@.][^@]*\.[^@.]+$/.test(text);

export const isContactAddress = (text: string): boolean =>
  isMailbox(text) || (contact.test(text) && /^https?:\/\/[^/?#@]+(?:[/?#]|$)/.test(text));

export const contactForm = "an e-mail address such as you@example.org, or the URL of a page";
