import { createHash } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import { ControllerRevision } from '../../api/builtin-kinds.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { restoredFields, revisionMarks, sourcesManager, Work, workAnnotations } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import type { Context } from '../../runtime/controller.ts';
import { isJsonObject, printJson, sortKeys, type Json } from '../../util/json.ts';
import { wantedContent } from '../sources/wanted-content.ts';
import { inputsOf } from './inputs.ts';
import { oncePerGeneration } from './once-per-generation.ts';

export type RevisionInformer = Informer<ControllerRevision>;

const defaultHistory = 10;

/** The earlier specs of all Works, without the specs themselves: of those only the Contents that they name. */
export function workRevisions(
  hub: KubeClient,
  { signal, onError }: { signal: AbortSignal; onError(error: unknown): void },
): RevisionInformer {
  return informer(hub, ControllerRevision, {
    signal,
    labelSelector: revisionMarks.work,
    onError,
    indexes: {
      work: ({ metadata }) => [metadata.labels?.[revisionMarks.work] ?? ''],
      content: ({ data }) => (data as unknown as { digests: string[] }).digests,
    },
    keep: ({ apiVersion, kind, metadata, revision, data }) => ({
      apiVersion,
      kind,
      metadata,
      revision,
      data: { digests: digestsIn(data) } as never,
    }),
  });
}

/** Writes down the present spec of a Work as its newest revision, and forgets the oldest. */
export async function keepHistory(
  work: Work,
  { hub, revisions, numbers }: { hub: KubeClient; revisions: RevisionInformer; numbers: LRUCache<string, number> },
  ctx: Context,
): Promise<void> {
  // What has not been fetched yet could not be brought back.
  if (wantedContent(work) === 'waiting' || isHistoryOfOwner(work)) return;
  const { signal } = ctx;
  const { namespace, uid = '' } = work.metadata;
  await revisions.synced;
  const known = revisions.by('work', uid).sort((a, b) => Number(a.revision) - Number(b.revision));
  const name = nameOf(work);
  const newest = known.at(-1);
  if (newest?.metadata.name === name) return;

  // The informer may not have seen the last one yet.
  const revision = Math.max(Number(newest?.revision ?? 0), numbers.get(uid) ?? 0) + 1;
  const present = known.find(one => one.metadata.name === name);
  if (present) {
    const annotations = { [revisionMarks.changedBy]: whoChanged(work) ?? null };
    await hub.patch(ControllerRevision, { namespace, name }, { type: 'merge', body: { revision, metadata: { annotations } } }, { signal });
  } else {
    try {
      await hub.create(ControllerRevision, revisionOf(work, { name, revision }), { signal });
    } catch (error) {
      // Written a moment ago, under a number before this one, and not seen yet.
      if (error instanceof StatusError && error.reason === 'AlreadyExists') return;
      throw error;
    }
  }
  numbers.set(uid, revision);
  const most = work.spec.options?.history ?? defaultHistory;
  const old = known.filter(one => one !== present).slice(0, Math.max(0, known.length + (present ? 0 : 1) - most));
  for (const { metadata } of old) await hub.delete(ControllerRevision, { namespace, name: metadata.name! }, { signal });
}

/** Whoever owns it keeps what it was before: the one revision that it asks for would only be the present spec over again. */
const isHistoryOfOwner = ({ metadata, spec }: Work): boolean =>
  spec.options?.history === 1 && spec.chart === undefined && metadata.annotations?.[workAnnotations.owner] !== undefined;

function specOf({ spec }: Work): { [field: string]: Json } {
  return Object.fromEntries(restoredFields.filter(field => spec[field] !== undefined).map(field => [field, spec[field] as Json]));
}

const nameOf = oncePerGeneration(work => {
  const { name = '', uid = '' } = work.metadata;
  const hash = createHash('sha256')
    .update(printJson([uid, sortKeys(specOf(work))]))
    .digest('hex')
    .slice(0, 10);
  return `${name.slice(0, 240)}-${hash}`;
});

function revisionOf(work: Work, { name, revision }: { name: string; revision: number }): ControllerRevision {
  const { namespace, uid = '', name: owner = '' } = work.metadata;
  const changedBy = whoChanged(work);
  return {
    apiVersion: apiVersionOf(ControllerRevision),
    kind: ControllerRevision.kind,
    metadata: {
      name,
      namespace: namespace!,
      labels: { [revisionMarks.work]: uid },
      annotations: { [revisionMarks.inputs]: inputsOf(work), ...(changedBy !== undefined && { [revisionMarks.changedBy]: changedBy }) },
      ownerReferences: [{ apiVersion: apiVersionOf(Work), kind: Work.kind, name: owner, uid, controller: true }],
    },
    revision,
    data: specOf(work) as never,
  };
}

/** Whoever wrote to the spec last, apart from the hub, which adds what it has fetched. */
function whoChanged({ metadata }: KubeObject): string | undefined {
  const entries = (metadata.managedFields ?? []).filter(
    ({ subresource = '', fieldsV1, manager }) => subresource === '' && fieldsV1?.['f:spec'] !== undefined && manager !== sourcesManager,
  );
  return entries.sort((a, b) => Date.parse(b.time ?? '') - Date.parse(a.time ?? ''))[0]?.manager;
}

function digestsIn(data: unknown): string[] {
  if (!isJsonObject(data)) return [];
  const { chart, kustomization, content } = data;
  const of = (source: Json | undefined) => (isJsonObject(source) ? source['content'] : undefined);
  return [of(chart), of(kustomization), content].filter(one => typeof one === 'string');
}
