import { tooManyRequests } from '../api/status.ts';

export interface MemberLimits {
  readonly requests: number;
  readonly streams: number;
}

const defaultLimits: MemberLimits = { requests: 200, streams: 2000 };

/** Watches, followed logs, whatever lies behind a proxy of the member, and connections that leave HTTP: they stay open by design. */
export function isStream(target: string, isUpgrade: boolean): boolean {
  const [path = '', query = ''] = target.split('?', 2);
  if (isUpgrade || /\/proxy(?:\/|$)/.test(path) || /^\/(?:api|apis\/[^/]+)\/[^/]+\/watch\//.test(path)) return true;
  const wanted = new URLSearchParams(query);
  return ['watch', 'follow'].some(name => wanted.has(name) && !/^(?:false|0)$/i.test(wanted.get(name) ?? ''));
}

/** Bounds what one member may have under way, so that one that hangs takes nothing from the others. */
export function memberLimits(limits: MemberLimits = defaultLimits) {
  const open = new Map<string, { requests: number; streams: number }>();

  return {
    /** Throws 429 when the member is busy enough. */
    enter(cluster: string, kind: 'requests' | 'streams'): Disposable {
      const counts = open.get(cluster) ?? { requests: 0, streams: 0 };
      if (counts[kind] >= limits[kind]) throw tooManyRequests(`too many ${kind} to cluster "${cluster}" are under way`, 1);
      counts[kind]++;
      open.set(cluster, counts);
      let isInside = true;
      return {
        [Symbol.dispose]() {
          if (!isInside) return;
          isInside = false;
          counts[kind]--;
          if (counts.requests === 0 && counts.streams === 0 && open.get(cluster) === counts) open.delete(cluster);
        },
      };
    },
  };
}
