import { StatusError } from '../../api/status.ts';
import type { ClusterApi } from '../cluster-api.ts';
import type { ControllerOptions, RunningController } from './running-controller.ts';

const events = { group: '', version: 'v1', resource: 'events' };
const ttlMs = 3_600_000;
const sweepMs = 60_000;
/** Expired events wait for the sweep; how many are deleted at once keeps it from crowding out requests. */
const batchSize = 100;

interface Deadline {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly at: number;
}

/** Deletes events an hour after they were last written. */
export function eventTtl(api: ClusterApi, options: ControllerOptions = {}): RunningController {
  const now = options.now ?? (() => new Date());
  // Every write moves an event to the end: insertion order is the order of expiry.
  const deadlines = new Map<string, Deadline>();
  let sweeping = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  for (const { metadata } of api.peekAll(events)) remember(metadata, Date.parse(metadata.creationTimestamp ?? '') + ttlMs);
  const subscription = api.subscribe(({ type, resource, obj }) => {
    if (resource.resource !== 'events') return;
    if (type === 'DELETED') deadlines.delete(obj.metadata.uid ?? '');
    else remember(obj.metadata, now().getTime() + ttlMs);
  });

  return {
    idle: () => (sweeping = sweeping.then(sweep)),
    [Symbol.dispose]() {
      stopTimer();
      subscription[Symbol.dispose]();
    },
  };

  function remember({ uid = '', namespace = '', name = '' }: { uid?: string; namespace?: string; name?: string }, at: number): void {
    deadlines.delete(uid);
    deadlines.set(uid, { namespace, name, uid, at });
    timer ??= setInterval(() => (sweeping = sweeping.then(sweep)), sweepMs).unref();
  }

  // Only while there are events: thousands of clusters in one process have none.
  function stopTimer(): void {
    clearInterval(timer);
    timer = undefined;
  }

  async function sweep(): Promise<void> {
    const due: Deadline[] = [];
    for (const deadline of deadlines.values()) {
      if (deadline.at > now().getTime()) break;
      due.push(deadline);
    }
    for (let i = 0; i < due.length; i += batchSize) await Promise.all(due.slice(i, i + batchSize).map(expire));
    if (deadlines.size === 0) stopTimer();
  }

  async function expire({ namespace, name, uid }: Deadline): Promise<void> {
    try {
      await api.delete(events, { namespace, name }, { preconditions: { uid }, propagationPolicy: 'Background' });
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) return options.onError?.(`${namespace}/${name}`, error, 1);
    }
    deadlines.delete(uid);
  }
}
