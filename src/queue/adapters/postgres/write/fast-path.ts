// In a file of its own: the library's options name it, and must not bring the driver's types along.

/** What makes frequent cases faster, see docs/formats/queue-postgres.md. */
export type FastPath = "add" | "batch-add" | "claim" | "finish" | "overlap" | "stripes";
