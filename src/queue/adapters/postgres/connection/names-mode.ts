/**
 * Whether statements are sent by names. `auto`: until a pooler is noticed. It is in a file of its
 * own, as the driver's types are not there for those who use ours.
 */
export type NamesMode = "auto" | "never";
