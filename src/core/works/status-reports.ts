import { isOlderVersion } from '../../api/object.ts';
import { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { isMissing } from '../../client/missing-object.ts';
import type { Key } from '../../runtime/key.ts';
import { splitKey } from '../../runtime/key.ts';
import { log } from '../../runtime/log.ts';
import { workQueue } from '../../runtime/work-queue.ts';
import { jsonEqual } from '../../util/json.ts';
import type { WorkStatus } from './work-facts.ts';

export interface StatusReportsOptions {
  readonly hub: KubeClient;
  /** The Work as it was last seen. */
  find(key: Key): Work | undefined;
  /** What its status should say now. Undefined when there is nothing to say. */
  decide(work: Work): WorkStatus | undefined;
  /** Hears what was written over what. */
  onWritten?(work: Work, status: WorkStatus, before: WorkStatus | undefined): void;
  readonly signal: AbortSignal;
  /** The least time between two writes that nobody waits for. */
  readonly quietMs?: number;
}

/** Writes what is known of Works to the hub: nothing when nothing changed, and never two writes of one Work at once. */
export interface StatusReports {
  /** Some time soon, with everything that happens until then. Failures are tried again until they succeed. */
  soon(key: Key): void;
  /** Without waiting for the quiet time: something has been done, and people wait for it. */
  promptly(key: Key): void;
  /** Resolves when the hub has it. Throws when it cannot be written now. */
  now(key: Key): Promise<void>;
  forget(key: Key): void;
  idle(): Promise<void>;
}

interface Written {
  readonly uid: string | undefined;
  readonly status: WorkStatus;
  readonly version: string;
  readonly atMs: number;
}

/** How objects are that were just delivered is known a moment later, and belongs to the same report. */
const gatherMs = 25;

export const statusManager = 'drover-works';

export function statusReports(options: StatusReportsOptions): StatusReports {
  const { hub, find, decide, onWritten = () => {}, signal, quietMs = 1000 } = options;
  const written = new Map<Key, Written>();
  const urgent = new Set<Key>();
  const writing = new Map<Key, Promise<void>>();
  const queue = workQueue({
    signal,
    concurrency: 32,
    firstDelayMs: 200,
    maxDelayMs: 30_000,
    onError: (key, err, failures) => {
      if (failures > 3) log.debug('status not written', { kind: Work.kind, name: key, err });
    },
    async reconcile(key) {
      const last = written.get(key);
      const restMs = last === undefined || urgent.has(key) ? 0 : last.atMs + quietMs - performance.now();
      if (restMs > 0) return { requeueAfterMs: restMs };
      urgent.delete(key);
      await writeInTurn(key);
    },
  });

  return {
    soon: key => queue.add(key),
    promptly(key) {
      urgent.add(key);
      queue.addAfter(key, gatherMs);
    },
    now: writeInTurn,
    forget: key => void written.delete(key),
    idle: () => queue.idle(),
  };

  /** Each begins when the one before has ended, and says what is true then. */
  async function writeInTurn(key: Key): Promise<void> {
    const before = writing.get(key);
    const mine = (before ?? Promise.resolve()).then(
      () => write(key),
      () => write(key),
    );
    writing.set(key, mine);
    try {
      await mine;
    } finally {
      if (writing.get(key) === mine) writing.delete(key);
    }
  }

  async function write(key: Key): Promise<void> {
    const seen = find(key);
    if (!seen || signal.aborted) return;
    const { uid } = seen.metadata;
    const last = written.get(key)?.uid === uid ? written.get(key) : undefined;
    // What was written a moment ago may not have been seen yet.
    const isBehind = last !== undefined && isOlderVersion(seen.metadata.resourceVersion, last.version);
    const work = isBehind ? { ...seen, status: last.status } : seen;
    const status = decide(work);
    if (!status || isSaid(work.status, status, last?.status)) return;
    const target = splitKey(key);
    const metadata = { ...target, ...(uid !== undefined && { uid }) };
    try {
      const answer = await hub.apply(Work, { metadata, status }, { subresource: 'status', fieldManager: statusManager, signal });
      written.set(key, { uid, status, version: answer.metadata.resourceVersion ?? '', atMs: performance.now() });
    } catch (error) {
      if (isMissing(error, target)) return;
      throw error;
    }
    onWritten(work, status, work.status);
  }
}

/** Whether the status says all of it, and nothing that was said before and is not any more. Others may say more: those who fetch, and the hub of one whose agent is away. */
function isSaid(present: WorkStatus = {}, status: WorkStatus, last: WorkStatus | undefined): boolean {
  if (!last) return jsonEqual(present, status);
  const { conditions = [], ...fields } = status;
  const isThere = (type: string) => present.conditions?.some(one => one.type === type) === true;
  return (
    Object.entries(fields).every(([name, value]) => jsonEqual(present[name as keyof WorkStatus], value)) &&
    Object.keys(last).every(name => name in status || present[name as keyof WorkStatus] === undefined) &&
    conditions.every(one => present.conditions?.some(other => jsonEqual(other, one))) &&
    (last.conditions ?? []).every(({ type }) => conditions.some(one => one.type === type) || !isThere(type))
  );
}
