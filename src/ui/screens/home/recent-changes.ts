import type { Cluster } from '../../../api/cluster.ts';
import { hub, type KubeObject } from '../../data/kinds.ts';
import type { PrintedObject, TableColumn } from '../../data/watched-list.ts';
import { phaseTone } from '../../parts/phase-tone.ts';
import { judgeObject, words, type Tone } from '../../parts/judge-object.ts';
import { judgeService } from '../services/judge-service.ts';
import { clusterOf, whoOf, type AuditEvent } from '../audit/audit-event.ts';
import { keyOf, placeOf, servicePlace, type MultiClusterService } from '../services/service-kinds.ts';
import type { EventObject } from '../object/event-columns.tsx';

/** Something that happened, to one thing or to many in the same way. */
export interface Change {
  readonly id: string;
  /** Of many, the last. */
  readonly at: number;
  readonly tone: Tone;
  readonly word: string;
  readonly what: string;
  readonly place: string;
  readonly why: string | undefined;
}

export interface ChangeFacts {
  readonly clusters: readonly Cluster[];
  readonly services: readonly MultiClusterService[];
  /** What rollouts have said of services. */
  readonly rollouts: readonly EventObject[];
  /** Runs of workflows, as the server prints them. */
  readonly runs: readonly PrintedObject[];
  readonly runColumns: readonly TableColumn[];
  /** What people did, for those who may know. */
  readonly deeds: readonly AuditEvent[];
}

interface Happened extends Change {
  /** What happened in the same way is told in one line. */
  readonly group: string;
  /** The line for so many. */
  together(count: number): Pick<Change, 'what' | 'place'>;
}

export const recentMs = 3_600_000;
/** A cluster that gets ready so soon after it was made has just come. */
const newMs = 300_000;
/** So many alike have a line each. */
const mostAlike = 3;

/** What happened within the hour before `now`, the newest first. However many clusters there are, the lines are few: what happened to many in the same way is one. */
export function recentChanges({ clusters, services, rollouts, runs, runColumns, deeds }: ChangeFacts, now: number): readonly Change[] {
  const groups = new Map<string, Happened[]>();
  const all = [
    ...clusters.flatMap(clusterChange),
    ...services.flatMap(serviceChange),
    ...rollouts.flatMap(rolloutChange),
    ...runs.flatMap(one => runChange(one, runColumns)),
    ...deeds.flatMap(deedChange),
  ];
  for (const one of all) {
    if (!(one.at > now - recentMs)) continue;
    const alike = groups.get(one.group);
    if (alike) alike.push(one);
    else groups.set(one.group, [one]);
  }
  return [...groups.values()].flatMap(together).sort((a, b) => b.at - a.at);
}

function together(alike: readonly Happened[]): readonly Change[] {
  if (alike.length <= mostAlike) return alike;
  const last = alike.reduce((a, b) => (b.at > a.at ? b : a));
  const reasons = new Set(alike.map(({ why }) => why));
  return [{ ...last, id: last.group, ...last.together(alike.length), why: reasons.size === 1 ? last.why : undefined }];
}

function clusterChange(cluster: Cluster): Happened[] {
  const { name = '', uid = '', creationTimestamp, deletionTimestamp } = cluster.metadata;
  const { tone, word, why } = judgeObject(cluster);
  const about = { id: `cluster ${uid}`, what: `Cluster ${name}`, place: `/clusters/${encodeURIComponent(name)}` };
  const alike = (said: string, place: string) => ({
    group: `clusters ${said}`,
    together: (count: number) => ({ what: `${count.toLocaleString()} clusters`, place }),
  });
  if (deletionTimestamp !== undefined)
    return [{ ...about, at: Date.parse(deletionTimestamp), tone, word, why: undefined, ...alike('leave', '/clusters?q=state:leaving') }];
  const madeAt = Date.parse(creationTimestamp ?? '');
  const turnedAt = readySince(cluster) ?? NaN;
  const isReady = tone === 'good';
  // One that has come and is ready has done one thing, not two.
  const isNew = isReady && turnedAt - madeAt < newMs;
  if (isNew) return [{ ...about, at: madeAt, tone: 'good', word: 'Added', why: undefined, ...alike('added', '/clusters?sort=age') }];
  const said = isReady ? 'Ready again' : word;
  const place = isReady ? '/clusters?q=state:ready' : '/clusters?sort=state';
  return [{ ...about, at: turnedAt, tone, word: said, why: isReady ? undefined : why, ...alike(said, place) }];
}

function serviceChange(mcs: MultiClusterService): Happened[] {
  const { uid = '', creationTimestamp, deletionTimestamp } = mcs.metadata;
  const { tone, word, why } = judgeService(mcs);
  const turnedAt = readySince(mcs) ?? Date.parse(creationTimestamp ?? '');
  const at = deletionTimestamp === undefined ? turnedAt : Date.parse(deletionTimestamp);
  return [
    {
      id: `service ${uid}`,
      at,
      tone,
      word,
      what: `Service ${keyOf(mcs)}`,
      place: placeOf(mcs),
      why: tone === 'good' ? undefined : why,
      group: `services ${word}`,
      together: count => ({ what: `${count.toLocaleString()} services`, place: '/services?sort=state' }),
    },
  ];
}

function rolloutChange(event: EventObject): Happened[] {
  const { reason = '', type, involvedObject: about } = event;
  const service = { metadata: { ...(about?.namespace && { namespace: about.namespace }), name: about?.name ?? '' } };
  const what = `Service ${keyOf(service)}`;
  const place = `${servicePlace(service.metadata.namespace, service.metadata.name)}/rollout`;
  return [
    {
      id: `event ${event.metadata.uid ?? ''}`,
      at: Date.parse(event.eventTime ?? event.lastTimestamp ?? event.metadata.creationTimestamp ?? ''),
      tone: type === 'Warning' ? 'warn' : 'info',
      word: words(reason),
      what,
      place,
      why: event.message ?? event.note,
      group: `${what} ${reason}`,
      together: count => ({ what: `${what}, ${count.toLocaleString()} times`, place }),
    },
  ];
}

function runChange(run: PrintedObject, columns: readonly TableColumn[]): Happened[] {
  const cell = (name: string) => String(run.cells[columns.findIndex(one => one.name === name)] ?? '');
  const { namespace = '', name = '', uid = '', creationTimestamp = '' } = run.metadata;
  const phase = cell('Phase') || 'Queued';
  const failed = Number(cell('Failed')) || 0;
  const by = cell('By');
  return [
    {
      id: `run ${uid}`,
      at: Date.parse(cell('Finished') || creationTimestamp),
      tone: phaseTone(phase),
      word: words(phase),
      what: `Run ${namespace}/${name}`,
      place: `/workflows/runs/${[namespace, name].map(encodeURIComponent).join('/')}`,
      why: [by && `by ${by}`, failed > 0 && `failed on ${failed} of ${cell('Clusters')} clusters`].filter(Boolean).join(', ') || undefined,
      group: `runs of ${namespace}/${cell('Workflow')} ${phase}`,
      together: count => ({ what: `${count.toLocaleString()} runs of ${cell('Workflow')}`, place: '/workflows/runs' }),
    },
  ];
}

const past: Readonly<Record<string, string>> = {
  create: 'Created',
  update: 'Changed',
  patch: 'Changed',
  delete: 'Removed',
  deletecollection: 'Removed',
};

function deedChange(event: AuditEvent): Happened[] {
  const { resource = '', subresource, namespace = '', name = '' } = event.objectRef ?? {};
  const who = whoOf(event);
  const on = clusterOf(event) === hub ? '' : ` on ${clusterOf(event)}`;
  const word = past[event.verb ?? ''] ?? event.verb ?? '';
  const of = [resource, subresource].filter(Boolean).join('/');
  const place = `/audit?user=${encodeURIComponent(who.split(' as ')[0] ?? who)}`;
  return [
    {
      id: `deed ${event.auditID ?? ''} ${of} ${name}`,
      at: Date.parse(event.requestReceivedTimestamp ?? ''),
      tone: 'idle',
      word,
      what: `${of} ${nameIn(resource === 'namespaces' ? '' : namespace, name)}${on}`,
      place,
      why: `by ${who}`,
      group: `${who} ${word} ${of}${on}`,
      together: count => ({ what: `${of}, ${count.toLocaleString()} times${on}`, place }),
    },
  ];
}

/** What is created is not always named by the request. */
const nameIn = (namespace: string, name: string): string =>
  name === '' && namespace !== '' ? `in ${namespace}` : [namespace, name].filter(Boolean).join('/');

function readySince(object: KubeObject): number | undefined {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: readonly { type: string; lastTransitionTime?: string }[] };
  const at = Date.parse(conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '');
  return Number.isNaN(at) ? undefined : at;
}
