const kibibyte = 1024;

/**
 * The bounds of one tunnel. A reader that stalls holds back its own stream once `streamWindowBytes` wait for it; Node consumes the session's
 * window at once, so others are not held back. The session's window is what may be under way on the wire: large enough for long links
 * (10 MB/s at 100 ms), small enough that a ping behind it arrives before its deadline on a slow one (50 kB/s).
 */
export const tunnelLimits = {
  streamWindowBytes: 256 * kibibyte,
  sessionWindowBytes: 1024 * kibibyte,
  /** Requests and watches under way at once. */
  streams: 2500,
  /** All header names and values of one request or answer. nghttp2 sends no more. */
  headerBytes: 60 * kibibyte,
  /** A user may be in many groups, each a header of its own. */
  headerPairs: 2000,
  /** The longest WebSocket message; HTTP/2 frames are put together up to half of it. */
  messageBytes: 128 * kibibyte,
  pingEveryMs: 10_000,
  /** Without an answer to a ping for so long, the other side is gone. */
  pingDeadlineMs: 20_000,
  /** From the WebSocket until HTTP/2 answers its first ping. */
  openMs: 10_000,
  /** How long a request waits for the head of its answer unless it says otherwise. */
  answerMs: 60_000,
  /** How long a request waits for one of the streams. */
  queueMs: 5_000,
  /** The hub cancels no more streams than this; the agent, which cannot know why they are cancelled, allows a multiple. */
  resets: { burst: 1000, perSecond: 200 },
} as const;
