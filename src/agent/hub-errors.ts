import type { HubAnswer } from './hub-link.ts';

/** The hub gave no answer. What it says is the reason in words. */
export class HubAbsentError extends Error {
  override name = 'HubAbsentError';
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }

  /** Nobody listens there: asking again soon costs nobody anything. */
  get isNobodyThere(): boolean {
    return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'].includes(this.code);
  }

  /** Whom to trust may have changed. */
  get isDistrust(): boolean {
    return /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(this.code);
  }
}

/** The hub answered no. */
export class HubRefusedError extends Error {
  override name = 'HubRefusedError';
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, retryAfterMs: number | undefined) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Trying again is of no use: a person must change something. */
export class AgentStoppedError extends Error {
  override name = 'AgentStoppedError';
}

const longestWaitSeconds = 300;

/** What the hub said, in its own words where it has some. */
export function refusalOf({ status, headers, text }: HubAnswer): HubRefusedError {
  const seconds = Number(headers['retry-after']);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, longestWaitSeconds) * 1000 : undefined;
  return new HubRefusedError(status, messageOf(text) ?? `the answer was ${status}`, retryAfterMs);
}

function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message.slice(0, 1000) : undefined;
  } catch {
    return undefined;
  }
}
