import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { clusterAnnotations, clusterLabels } from '../../api/cluster.ts';
import type { Work } from '../../api/work.ts';
import { apiPath } from '../../client/api-path.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readJson } from '../../client/read-answer.ts';
import type { EventRecorder } from '../../runtime/event-recorder.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { log } from '../../runtime/log.ts';
import type { ObjectRef } from '../delivery/object-ref.ts';
import type { DeliveryMembers } from './delivery-members.ts';
import { MemberEvent, mirrored } from './member-event.ts';

export interface EventMirror {
  /** How a Work is now. As long as something of it is not well, what its member warns of is said on the hub. */
  heed(work: Work, status: NonNullable<Work['status']>): void;
  stop(key: Key): void;
}

export interface EventMirrorDeps {
  readonly members: Pick<DeliveryMembers, 'open'>;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
  clusterName(work: Work): string;
  /** Most of what is not well yet is so in a moment. Default 10 s. */
  readonly patienceMs?: number | undefined;
}

const maxFollowed = 100;
const maxNamespaces = 3;
/** Of one Work within the time. */
const maxSaid = 20;
const saidForMs = 3_600_000;
const maxListed = 200;
/** The clocks of hub and member may differ, and warnings may come before the status is written. */
const slackMs = 120_000;
const againMs = 1_000;

/**
 * What members warn of about what Works delivered there, as events of the Works. A member is asked only while something is not well, by a watch that is
 * selective; a healthy fleet costs nothing.
 */
export function eventMirror({ members, events, signal, clusterName, patienceMs = 10_000 }: EventMirrorDeps): EventMirror {
  const followed = new Map<Key, { refs: readonly ObjectRef[]; readonly uid: string | undefined; readonly stop: AbortController }>();
  const said = new LRUCache<string, Set<string>>({ max: 2048, ttl: saidForMs });

  return {
    heed(work, status) {
      const key = keyOf(work);
      const refs = work.metadata.deletionTimestamp === undefined ? troubled(status) : [];
      const present = followed.get(key);
      if (present && refs.length > 0 && present.uid === work.metadata.uid) return void (present.refs = refs);
      stop(key);
      if (refs.length === 0 || signal.aborted || followed.size >= maxFollowed) return;
      const ending = new AbortController();
      followed.set(key, { refs, uid: work.metadata.uid, stop: ending });
      const until = AbortSignal.any([signal, ending.signal]);
      follow(work, status, until)
        .catch((err: unknown) => {
          // The member is away, or does not show its events: the next status of the Work may begin anew.
          if (!until.aborted) log.debug('events of the member are not followed', { name: key, err });
        })
        .finally(() => {
          if (followed.get(key)?.stop === ending) followed.delete(key);
        });
    },
    stop,
  };

  function stop(key: Key): void {
    followed.get(key)?.stop.abort();
    followed.delete(key);
  }

  async function follow(work: Work, { delivered }: NonNullable<Work['status']>, until: AbortSignal): Promise<void> {
    await sleep(patienceMs, undefined, { signal: until, ref: false });
    const { client } = members.open(work.metadata.namespace!);
    const sinceMs = Date.parse(delivered?.at ?? work.metadata.creationTimestamp ?? '') - slackMs;
    const refs = () => followed.get(keyOf(work))?.refs ?? [];
    const namespaces = [...new Set(refs().map(({ namespace = 'default' }) => namespace))].slice(0, maxNamespaces);
    const tell = (event: MemberEvent) => say(work, mirrored(event, refs(), sinceMs));
    await Promise.all(namespaces.map(namespace => followNamespace(client, namespace, tell, until)));
  }

  function say(work: Work, news: ReturnType<typeof mirrored>): void {
    if (!news) return;
    const { uid = '', namespace = '' } = work.metadata;
    const before = said.get(uid) ?? new Set<string>();
    if (before.has(news.about) || before.size >= maxSaid) return;
    said.set(uid, before.add(news.about));
    const cluster = clusterName(work);
    const labels = { [clusterAnnotations.cluster]: cluster.slice(0, 63), [clusterLabels.clusterId]: namespace };
    events.record(work, { type: 'Warning', reason: news.reason, action: 'Mirror', note: `Cluster ${cluster}: ${news.note}`, labels });
  }
}

const troubled = ({ objects = [] }: NonNullable<Work['status']>): ObjectRef[] =>
  objects.filter(({ health, outrankedBy }) => (health === 'InProgress' || health === 'Failed') && outrankedBy === undefined);

/** Those there are, as many as are of use, and those that come. */
async function followNamespace(
  client: KubeClient,
  namespace: string,
  tell: (event: MemberEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const fieldSelector = 'type=Warning';
  for (;;) {
    const path = apiPath(MemberEvent, { namespace }, { fieldSelector, limit: maxListed });
    const { items = [], metadata } = (await readJson(await client.request({ method: 'GET', path, signal }))) as unknown as {
      items?: MemberEvent[];
      metadata?: { resourceVersion?: string };
    };
    items.forEach(tell);
    const { resourceVersion = '' } = metadata ?? {};
    for await (const seen of client.watch(MemberEvent, { namespace, fieldSelector, resourceVersion, signal })) {
      if (seen.type === 'EXPIRED') break;
      if (seen.type === 'ADDED' || seen.type === 'MODIFIED') tell(seen.object);
    }
    // Also when the server ends it at once.
    await sleep(againMs, undefined, { signal, ref: false });
  }
}
