export * from "./bucket.ts";
export { isUnavailable, mayHaveHappened, unanswered, unknownOutcome } from "./bucket-error.ts";
export { createFaultyBucket, type FaultKind, type Faults } from "./faulty-bucket.ts";
export { requireFitness, type FitnessOptions } from "./fitness.ts";
export { checkKey, compareKeys, keyBytesMax } from "./key.ts";
export { openLateBucket } from "./late-bucket.ts";
export { createLazyBucket } from "./lazy-bucket.ts";
export { createLease, type LeaseAttempt, type BucketLease, type LeaseView } from "./lease/lease.ts";
export { leaseMarginMsDefault, leaseTtlMsDefault } from "./lease/lease.ts";
export {
  createLeaseKeeper,
  type Hold,
  type BucketLeaseKeeperOptions,
} from "./lease/lease-keeper.ts";
export { leaseKey, type LeaseRecord } from "./lease/lease-record.ts";
export {
  addUsage,
  bucketOperations,
  createMeter,
  createMeteredBucket,
  type BucketOperation,
  type Meter,
  type OnRequest,
  type Usage,
} from "./metered-bucket.ts";
export { createPrefixedBucket, type PrefixedBucketOptions } from "./prefixed-bucket.ts";
export { probeBucket, requireFitBucket, type ProbeReport, type ProbeStep } from "./probe.ts";
export { createRetryingBucket } from "./retrying-bucket.ts";
export {
  createSharedObject,
  type ObjectChange,
  type Envelope,
  type SharedCodec,
  type SharedObject,
  type SharedObjectOptions,
} from "./shared-object.ts";
export { usageDaysMax, type DayUsage, type UsageStore } from "./usage-store.ts";
