import { clusterAnnotations } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { workConditions, workReasons, type Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import {
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
  type RunOptions,
  type Trigger,
} from '../../runtime/controller.ts';
import { eventRecorder } from '../../runtime/event-recorder.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, splitKey, type Key } from '../../runtime/key.ts';
import { jsonEqual } from '../../util/json.ts';
import { ContentMissingError } from '../contents/read-content.ts';
import { decideStatus } from './decide-status.ts';
import { chartDelivery } from './deliver-charts.ts';
import { plainDelivery } from './deliver-plain.ts';
import { HubError, type DeliveryDesk } from './delivery-desk.ts';
import type { DeliveryMembers } from './delivery-members.ts';
import { createFollowers } from './followers.ts';
import { inputsOf } from './inputs.ts';
import { eventMirror } from './mirror-events.ts';
import { ObjectClaims } from './object-claims.ts';
import { readinessNews } from './readiness-news.ts';
import { statusReports } from './status-reports.ts';
import { isReady } from './wait-for-works.ts';
import { waitMsOf } from './wait-time.ts';
import { isChart, queueKeyOf } from './work-indexes.ts';
import { WorkState } from './work-state.ts';
import { isLeaving } from './claims.ts';
import { tracedVersion } from '../../util/trace.ts';

export interface DelivererDeps {
  /** To report to. */
  readonly hub: KubeClient;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly members: DeliveryMembers;
  readonly renderer: RenderPool;
  /** Bytes by their digest. Throws ContentMissingError when the hub has none. */
  readContent(digest: string, signal: AbortSignal): Promise<Buffer>;
  readonly signal: AbortSignal;
  now?(): Date;
  /** The least time between two reports of how the objects of a Work are. Default 1 s. */
  readonly reportEveryMs?: number;
  /** How long something may be unwell before its member is asked what it warns of. Default 10 s. */
  readonly patienceMs?: number;
  readonly causeElsewhere?: RunOptions['causeElsewhere'];
}

/** Most of them wait for a member to get something done. */
const concurrency = 256;

/** A newer spec, or another claim, has overtaken a delivery. */
class Overtaken extends Error {
  override name = 'Overtaken';
}

/**
 * Makes members run what their Works say, and says on the Works how that goes. Of a Work it writes the status and nothing else. The same in the hub, for
 * clusters that it reaches, and in an agent, for its own.
 */
export function runDeliverer(deps: DelivererDeps): RunningController {
  const { hub, works, members, renderer, signal, now = () => new Date() } = deps;
  const states = new Map<Key, WorkState>();
  const claims = new Map<string, ObjectClaims>();
  /** What is being delivered for which queue key, and how to stop it. */
  const underWay = new Map<Key, { readonly mark: string; readonly stop: AbortController }>();
  const events = eventRecorder(hub, { controller: 'work', signal });
  const reports = statusReports({
    hub,
    signal,
    ...(deps.reportEveryMs !== undefined && { quietMs: deps.reportEveryMs }),
    find: key => works.get(key),
    decide(work) {
      const state = states.get(keyOf(work));
      if (!state || state.uid !== work.metadata.uid || state.phase.kind === 'new') return undefined;
      // Whoever fetches its bytes has more to say than that it waits for them.
      const said = findCondition(work, workConditions.ready)?.reason;
      if (state.phase.kind === 'waiting' && state.phase.reason === workReasons.waitingForContent && said === workReasons.sourceFailed)
        return undefined;
      const at = now();
      const isLate = (state.deadline(waitMsOf(work)) ?? Infinity) <= at.getTime();
      return decideStatus(work, { ...state.facts(clusterName(work), inputsOf(work)), isLate }, at);
    },
    onWritten(work, status) {
      tellReadiness(work, status);
      mirror.heed(work, status);
    },
  });
  const mirror = eventMirror({ members, events, signal, clusterName, patienceMs: deps.patienceMs });
  const followers = createFollowers({ onChange: key => reports.soon(key), onArrival: key => reports.promptly(key) }, signal);
  const desk: DeliveryDesk = {
    works,
    members,
    renderer,
    events,
    followers,
    reports: { ...reports, now: key => reports.now(key).catch(hubFailed('cannot report to the hub')) },
    readContent: (digest, stop) => deps.readContent(digest, stop).catch(contentFailed),
    state: stateOf,
    claims: namespace => claims.getOrInsertComputed(namespace, claimsOf),
    clusterName,
    look: all => [...all].forEach(work => running.add(queueKeyOf(work))),
    now,
  };
  const charts = chartDelivery(desk);
  const plain = plainDelivery(desk);
  const running = runController(
    { name: 'work', reconcile },
    {
      triggers: [trigger()],
      signal,
      concurrency,
      firstDelayMs: 500,
      maxDelayMs: 60_000,
      now,
      ...(deps.causeElsewhere && { causeElsewhere: deps.causeElsewhere }),
    },
  );
  return running;

  /** What was delivered before this process began is claimed from the start: whoever is looked at first would take it otherwise. */
  function claimsOf(namespace: string): ObjectClaims {
    const claimed = new ObjectClaims();
    for (const work of works.by('cluster', namespace))
      if (!work.spec.chart) claimed.set(keyOf(work), new Set(stateOf(work).inventory.keys()));
    return claimed;
  }

  async function reconcile(queueKey: Key, ctx: Context): Promise<Outcome> {
    const stop = new AbortController();
    const mark = markOf(queueKey);
    underWay.set(queueKey, { mark, stop });
    const turn = { signal: AbortSignal.any([ctx.signal, stop.signal]) };
    const [kind, key = ''] = splitOnce(queueKey);
    try {
      if (!members.find(splitKey(key).namespace)) return settled;
      return kind === 'release' ? await charts.reconcile(key, turn) : await plain.reconcile(key, turn);
    } finally {
      underWay.delete(queueKey);
    }
  }

  /** What a delivery depends on: another mark asks for another delivery. */
  function markOf(queueKey: Key): string {
    const [kind, key = ''] = splitOnce(queueKey);
    const markWork = (work: Work | undefined) => work && `${work.metadata.uid} ${work.metadata.generation} ${isLeaving(work)}`;
    if (kind === 'work') return `${markWork(works.get(key))}`;
    const { winner, isClaimed } = charts.claimsOn(key);
    return `${markWork(winner)} ${isClaimed}`;
  }

  function trigger(): Trigger {
    return {
      synced: Promise.all([works.synced, members.synced]).then(() => {}),
      start(add) {
        for (const work of works.list()) add(queueKeyOf(work));
        const subscriptions = [
          works.subscribe(({ type, object, old }) => {
            if (type === 'DELETED') forget(object);
            if (old && isReady(old) !== isReady(object)) lookAtDependents(object, add);
            // What others write to the status must not stand against what is known here.
            if (type === 'MODIFIED' && old && isOnlyStatus(old, object)) return reports.soon(keyOf(object));
            if (!old || type === 'DELETED') lookAtDependents(object, add);
            const queueKey = queueKeyOf(object);
            add(queueKey, tracedVersion(object));
            const present = underWay.get(queueKey);
            if (present && present.mark !== markOf(queueKey)) present.stop.abort(new Overtaken('overtaken by a newer delivery'));
          }),
          members.subscribe((namespace, isOtherWay) => {
            for (const work of works.by('cluster', namespace)) {
              followers.stop(keyOf(work));
              mirror.stop(keyOf(work));
              const queueKey = queueKeyOf(work);
              add(queueKey);
              // The watches that it waits for end with the old way: it would wait in vain.
              if (isOtherWay) underWay.get(queueKey)?.stop.abort(new Overtaken('the cluster is reached in another way now'));
            }
          }),
        ];
        return { [Symbol.dispose]: () => subscriptions.forEach(one => one[Symbol.dispose]()) };
      },
    };
  }

  function lookAtDependents(work: Work, add: (key: Key) => void): void {
    for (const dependent of works.by('after', keyOf(work))) add(queueKeyOf(dependent));
  }

  function stateOf(work: Work): WorkState {
    const key = keyOf(work);
    let state = states.get(key);
    if (state?.uid !== (work.metadata.uid ?? '')) states.set(key, (state = new WorkState(work)));
    return state;
  }

  function forget(work: Work): void {
    const key = keyOf(work);
    if (works.get(key)) return;
    followers.stop(key);
    mirror.stop(key);
    reports.forget(key);
    states.delete(key);
    if (!isChart(work)) plain.forget(key);
  }

  function clusterName({ metadata, status }: Work): string {
    const known = members.find(metadata.namespace!)?.name ?? '';
    return known || metadata.annotations?.[clusterAnnotations.cluster] || status?.cluster || metadata.namespace!;
  }

  function tellReadiness(work: Work, status: NonNullable<Work['status']>): void {
    const news = readinessNews(work, status);
    if (news) events.record(work, { ...news, action: 'Deliver' });
  }
}

const hubFailed =
  (what: string) =>
  (cause: unknown): never => {
    throw new HubError(what, { cause });
  };

function contentFailed(error: unknown): never {
  if (error instanceof ContentMissingError) throw error;
  return hubFailed('cannot read from the hub')(error);
}

function splitOnce(queueKey: Key): [string, string] {
  const space = queueKey.indexOf(' ');
  return [queueKey.slice(0, space), queueKey.slice(space + 1)];
}

/** Whether nothing has changed that a delivery depends on. */
function isOnlyStatus(old: Work, work: Work): boolean {
  const facts = ({ metadata }: Work) => [
    metadata.uid,
    metadata.generation,
    metadata.deletionTimestamp,
    metadata.finalizers,
    metadata.annotations,
  ];
  return jsonEqual(facts(old), facts(work));
}
