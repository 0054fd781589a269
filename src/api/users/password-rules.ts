import { AppError } from "../../base/app-error.ts";
import { isCommonPassword } from "./common-passwords.ts";

export const passwordLengths = { min: 12, max: 200 } as const;

/** Requires length, not digits or symbols, and rejects what attackers try first. */
export function checkPassword(password: string, user: string): void {
  const { length } = password;
  const { min, max } = passwordLengths;
  if (length < min) throw weak(`a password has at least ${min} characters, and 15 are better; this one has ${length}`); // prettier-ignore
  if (length > max) throw weak(`a password has at most ${max} characters`);
  const plain = password.toLowerCase();
  if (new Set(plain).size < 5) throw weak("this password repeats very few characters");
  const namePart = user.split("@")[0]!;
  if (namePart.length >= 4 && plain.includes(namePart)) {
    throw weak("this password contains the name of the user");
  }
  if (variants(plain).some(isCommonPassword)) {
    throw weak("this password is among those that guessers try first");
  }
}

/** `P@ssw0rd2026!` and `passwordpassword` are as easy to guess as `password`. */
function variants(password: string): readonly string[] {
  const once = /^(.+?)\1+$/su.exec(password)?.[1] ?? password;
  const trimmed = [password, once].map((text) => text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, ""));
  const spelled = [password, once, ...trimmed].map(withoutSubstitutes);
  return [password, once, ...trimmed, ...spelled, ...spelled.map((text) => text.replaceAll(/[^\p{L}]+$/gu, ""))]; // prettier-ignore
}

const substitutes: Readonly<Record<string, string>> = { "@": "a", "4": "a", "0": "o", "1": "i", "3": "e", "5": "s", $: "s", "7": "t" }; // prettier-ignore

const withoutSubstitutes = (text: string) =>
  text.replaceAll(/[@401357$]/g, (sign) => substitutes[sign]!);

const weak = (message: string) =>
  new AppError("invalid", "weak_password", `${message}: choose another one`);
