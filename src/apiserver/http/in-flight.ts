import type { UserInfo } from '../../auth/user.ts';
import type { RequestInfo } from './request-info.ts';

/** How many requests may be under way at once; long-running ones do not count. */
export interface InFlightLimits {
  readonly reads: number;
  readonly writes: number;
}

export const defaultInFlightLimits: InFlightLimits = { reads: 400, writes: 200 };

const readVerbs = new Set(['get', 'list', 'watch']);
const longRunningVerbs = new Set(['watch', 'proxy']);
const longRunningSubresources = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);
const healthPath = /^\/(healthz|livez|readyz)(\/|$)/;

/** Requests that stay open by design have no deadline and no share of the limits. */
export function isLongRunning({ verb, resource }: RequestInfo): boolean {
  if (!resource) return false;
  return longRunningVerbs.has(verb) || longRunningSubresources.has(resource.subresource);
}

/** Counts requests under way. `enter` answers how to leave, or undefined when there is no room. */
export class InFlight {
  private readonly limits: InFlightLimits;
  private reads = 0;
  private writes = 0;

  constructor(limits: InFlightLimits = defaultInFlightLimits) {
    this.limits = limits;
  }

  enter(info: RequestInfo, user: UserInfo): (() => void) | undefined {
    // A probe that gets no answer would have a busy server restarted.
    if (isLongRunning(info) || healthPath.test(info.path)) return () => {};
    if (readVerbs.has(info.verb)) {
      if (this.reads >= this.limits.reads) return alwaysAdmitted(user);
      this.reads++;
      return once(() => this.reads--);
    }
    if (this.writes >= this.limits.writes) return alwaysAdmitted(user);
    this.writes++;
    return once(() => this.writes--);
  }
}

/** Administrators get an answer even from a server that is full. */
function alwaysAdmitted(user: UserInfo): (() => void) | undefined {
  return user.groups?.includes('system:masters') ? () => {} : undefined;
}

function once(leave: () => void): () => void {
  let isInside = true;
  return () => {
    if (isInside) leave();
    isInside = false;
  };
}
