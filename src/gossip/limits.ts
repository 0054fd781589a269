/** How much of everything. Few of them are anybody's to set: see the options of createGossip. */
export const limits = {
  /** Sessions that may be known at a time, and addresses where some may be. */
  peersMax: 256,
  peerAddressesMax: 512,
  /** Up to so many are all told of what is new at once; above, some by chance. */
  pushToAllMax: 16,
  fanOut: 3,
  hopsMax: 8,
  /** Above `pushToAllMax` what is new goes out once more, to others. */
  repeatMs: 100,
  tickMs: 1_000,
  /** What is missing may be under way: so long it is waited for, then asked for. */
  holeMs: 50,
  askTimeoutMsMin: 100,
  askTimeoutMsMax: 1_000,
  /** After so many tries in vain it waits for the next digest. */
  askTriesMax: 8,
  asksAtOnceMax: 64,
  gapsMax: 4,
  fetchesMax: 2_048,
  answerBytes: 32 * 1_024,
  answersAtOnceMax: 32,
  /** What a peer may have of us, by packets: bytes a second, and at once. */
  answerBytesPerS: 2 * 2 ** 20,
  answerBurstBytes: 256 * 1_024,
  /** Behind by so many records, a connection is the better way. */
  pullFrom: 64,
  pullsAtOnceMax: 2,
  pullBytes: 2 ** 20,
  /** Must hold one commit of the largest size, else it could never be given on whole. */
  waitingBytesMax: 40 * 2 ** 20,
  waitingRecordsMax: 65_536,
  waitingMs: 60_000,
  /** A vector is told in up to so many packets at a time; the rest the next time. */
  chunksMax: 4,
  advertisedMax: 4_096,
  quietMs: 60_000,
  forgetMs: 600_000,
  /** What no peer holds is not asked of the same one again so soon. */
  goneMs: 60_000,
  /** A replica that fails or refuses is left alone so long at first, and so long at most. */
  mutedMsMin: 1_000,
  mutedMsMax: 60_000,
  publishRepeatMs: 200,
  helloMsMin: 1_000,
  helloMsMax: 30_000,
  greetingsPerS: 200,
  peersToldMax: 8,
} as const;
