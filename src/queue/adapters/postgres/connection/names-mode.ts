/**
 * Whether to use named prepared statements. `auto`: until a pooler is detected. This type has its
 * own file, because users of our types do not have the types of the driver.
 */
export type NamesMode = "auto" | "never";
