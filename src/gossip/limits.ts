/** Limits and times. Few of them can be set: see the options of createGossip. */
export const limits = {
  /** Sessions that may be known at once, and addresses where peers may be. */
  peersMax: 256,
  peerAddressesMax: 512,
  /**
   * In a fleet of up to this many peers, new records are sent to all at once; in a larger one, to a
   * random few.
   */
  pushToAllMax: 16,
  fanOut: 3,
  hopsMax: 8,
  /** Above `pushToAllMax`, new records are sent once more after this time, to other peers. */
  repeatMs: 100,
  tickMs: 1_000,
  /** A missing record may still be on its way: wait this long before it is requested. */
  holeMs: 50,
  askTimeoutMsMin: 100,
  askTimeoutMsMax: 1_000,
  /** After this many failed tries, wait for the next digest. */
  askTriesMax: 8,
  asksAtOnceMax: 64,
  gapsMax: 4,
  fetchesMax: 2_048,
  answerBytes: 32 * 1_024,
  answersAtOnceMax: 32,
  /** The share of a peer, by packets: bytes a second, and in one burst. */
  answerBytesPerS: 2 * 2 ** 20,
  answerBurstBytes: 256 * 1_024,
  /** If a peer lacks this many records, use a connection. */
  pullFrom: 64,
  pullsAtOnceMax: 2,
  pullBytes: 2 ** 20,
  /** Must hold one commit of the largest size; otherwise it could never be passed on completely. */
  waitingBytesMax: 40 * 2 ** 20,
  waitingRecordsMax: 65_536,
  waitingMs: 60_000,
  /** A vector is sent in up to this many packets at a time; the rest the next time. */
  chunksMax: 4,
  advertisedMax: 4_096,
  quietMs: 60_000,
  forgetMs: 600_000,
  /** How long a peer is not asked again for what it does not hold. */
  goneMs: 60_000,
  /**
   * How long an origin is not requested after the replica failed or refused: at first, and at most.
   */
  mutedMsMin: 1_000,
  mutedMsMax: 60_000,
  publishRepeatMs: 200,
  helloMsMin: 1_000,
  helloMsMax: 30_000,
  greetingsPerS: 200,
  peersAdvertisedMax: 8,
} as const;
