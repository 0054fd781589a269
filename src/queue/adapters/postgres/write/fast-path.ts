// In its own file, because the options of the library use it and must not import the driver's
// types.

/** The optimizations for frequent cases, see docs/formats/queue-postgres.md. */
export type FastPath = "add" | "batch-add" | "claim" | "finish" | "overlap" | "stripes";
