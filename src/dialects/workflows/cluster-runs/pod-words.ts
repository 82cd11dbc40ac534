import { Pod } from '../../../api/builtin-kinds.ts';
import { readBytes } from '../../../client/read-answer.ts';
import { podTrouble } from '../../../core/delivery/explain-pods.ts';
import type { Member } from '../../../core/delivery/member.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import { refKey } from '../../../core/delivery/object-ref.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { selectorOf } from '../release/pod-template.ts';
import { unitLog } from '../release/step-log.ts';
import { readObjects } from './member-sight.ts';

const mostPods = 10;
const lastLines = 20;
const jobLines = 1000;
const timeoutMs = 5_000;
const maxLogBytes = 256 * 1024;

/** What the pods that are not ready say when their time is over: phase, reason, and their last words. */
export async function explainTimeout(member: Member, refs: readonly ObjectRef[], signal: AbortSignal): Promise<readonly LogLine[]> {
  const log = unitLog('Wait for Steady State');
  const workloads = await readObjects(member, refs, signal);
  for (const ref of refs) {
    const workload = workloads.get(refKey(ref));
    const labels = Object.entries(workload ? selectorOf(workload) : {});
    if (labels.length === 0 || ref.namespace === undefined) continue;
    const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(',');
    const { items } = await member.client.list(Pod, { namespace: ref.namespace, labelSelector, signal, timeoutMs });
    for (const pod of items.filter(one => !isReady(one)).slice(0, mostPods)) {
      log.error(`Pod ${pod.metadata.name}: ${pod.status?.phase ?? 'Unknown'}${troubleOf(pod)}`);
      for (const line of await lastWords(member, pod, signal)) log.info(line);
    }
  }
  return log.lines;
}

/** When each pod said what was last heard of it, by its uid. */
export type Heard = Map<string, string>;

/** What the pods of Jobs have said since they were last heard. */
export async function jobWords(
  member: Member,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
  heard: Heard = new Map(),
): Promise<readonly LogLine[]> {
  const log = unitLog('Wait for Steady State');
  for (const { kind, name, namespace } of refs) {
    if (kind !== 'Job' || namespace === undefined) continue;
    const { items } = await member.client.list(Pod, { namespace, labelSelector: `job-name=${name}`, signal, timeoutMs });
    for (const pod of items.slice(0, mostPods)) for (const line of await newWords(member, pod, signal, heard)) log.info(line);
  }
  return log.lines;
}

const timed = /^([0-9]{4}-[0-9]{2}-[0-9]{2}T\S+) (.*)$/;

async function newWords(member: Member, pod: Pod, signal: AbortSignal, heard: Heard): Promise<string[]> {
  const uid = pod.metadata.uid ?? '';
  const last = heard.get(uid) ?? '';
  // The API knows whole seconds only: what was heard of the same second comes again.
  const since = last === '' ? '' : `&sinceTime=${last.slice(0, 19)}Z`;
  const lines = await lastWords(member, pod, signal, `${jobLines}&timestamps=true${since}`);
  const words = lines.map(line => timed.exec(line)).filter(found => found !== null && found[1]! > last);
  if (words.length > 0) heard.set(uid, words.at(-1)![1]!);
  return words.map(found => found![2]!).filter(line => line !== '');
}

const isReady = ({ status }: Pod): boolean => status?.conditions?.some(one => one.type === 'Ready' && one.status === 'True') === true;

function troubleOf(pod: Pod): string {
  const trouble = podTrouble(pod);
  return trouble === undefined ? '' : `, ${trouble}`;
}

async function lastWords(member: Member, { metadata }: Pod, signal: AbortSignal, lines: number | string = lastLines): Promise<string[]> {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/log?tailLines=${lines}`;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const answer = await member.client.request({ method: 'GET', path, headers: {}, signal: limit });
    const text = (await readBytes(answer.body, maxLogBytes)).toString('utf8');
    return answer.status !== 200 ? [] : text.split('\n').filter(line => line !== '');
  } catch {
    // A pod that never ran has none.
    signal.throwIfAborted();
    return [];
  }
}
