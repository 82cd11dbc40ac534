import { newObject } from '../../../api/define-kind.ts';
import { contentTypes } from '../../../api/content.ts';
import type { KubeObject } from '../../../api/object.ts';
import { clusterAnnotations } from '../../../api/cluster.ts';
import { Work, workAnnotations, workFinalizer } from '../../../api/work.ts';
import type { CallOptions, KubeClient } from '../../../client/kube-client.ts';
import { putContent } from '../../../core/contents/put-content.ts';
import { readContent } from '../../../core/contents/read-content.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import { parseManifests } from '../../../core/delivery/read-manifests.ts';
import { failpoint } from '../../../runtime/failpoint.ts';
import { durationMs } from '../../../util/duration.ts';
import { jsonEqual, printJson, type JsonObject } from '../../../util/json.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import type { ReleaseName } from '../release/book.ts';
import { manifestText } from '../release/manifest-text.ts';
import { ownAnnotations } from '../release/marks.ts';
import type { LargeManifest } from '../release/step.ts';
import { maxFailures } from './delivery-of-work.ts';
import type { StepContext } from './step-context.ts';
import { printMark, type Half } from './work-mark.ts';

/** What the Work of a release is called, in the namespace of its cluster. */
export const workNameOf = ({ name, namespace }: ReleaseName): string => `${name}.${namespace}`;

/** With everything around it still below what an API server takes. */
const maxInlineBytes = 700 * 1024;

/** What a Work holds, records included. */
export async function objectsOf(hub: KubeClient, work: Work | undefined, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const { manifests, content } = work?.spec ?? {};
  if (manifests) return manifests as unknown as KubeObject[];
  return content === undefined ? [] : parseManifests((await readContent(hub, content, { signal })).toString('utf8'));
}

/** The manifests that records name instead of holding them, by digest. */
export async function largeManifests(
  hub: KubeClient,
  records: readonly KubeObject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly KubeObject[]>> {
  const found = new Map<string, readonly KubeObject[]>();
  for (const digest of digestsIn(records)) {
    try {
      found.set(digest, parseManifests((await readContent(hub, digest, { signal })).toString('utf8')));
    } catch (error) {
      // Of a hub that is no more. Whoever needs it says so.
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
    }
  }
  return found;
}

const digestsIn = (objects: readonly KubeObject[]): string[] =>
  objects.flatMap(({ metadata }) => metadata.annotations?.[ownAnnotations.manifestRef] ?? []);

export interface HeldWork {
  readonly objects: readonly KubeObject[];
  readonly remove: readonly ObjectRef[];
  readonly contents: readonly LargeManifest[];
  readonly half: Half;
  readonly sync: NonNullable<Work['spec']['sync']>;
  /** Whether the member is asked before anything is changed. */
  readonly checkFirst: boolean;
}

/** Writes what the Work of a release holds, as `putWork` does, at a place where tests kill. */
export async function writeWork(...args: Parameters<typeof putWork>): Promise<Work> {
  const work = await putWork(...args);
  const [, , { half }, context] = args;
  failpoint('workflows.afterWork', writtenTitle(half, context));
  return work;
}

/** Writes what the Work of a release holds. `present` must be what it was made from: when somebody else has changed it since, this throws a conflict. */
async function putWork(hub: KubeClient, present: Work | undefined, held: HeldWork, context: StepContext, call: CallOptions): Promise<Work> {
  for (const { text } of held.contents) await putContent(hub, Buffer.from(text), { type: contentTypes.manifests }, call);
  const { run, release, grant, cluster } = context;
  const annotations = {
    [deliveryAnnotations.grant]: printMark({ runUid: run.uid, grant: grant.id, half: held.half }),
    [deliveryAnnotations.clusterRun]: context.key,
    [workAnnotations.owner]: `WorkflowRun ${run.namespace}/${run.name}`,
    [workAnnotations.contents]: digestsIn(held.objects).join(','),
  };
  const spec = await specOf(hub, present, held, context, call);
  failpoint('workflows.beforeWork', writtenTitle(held.half, context));
  if (present) {
    const metadata = { ...present.metadata, annotations: { ...present.metadata.annotations, ...annotations } };
    return hub.update(Work, { ...present, metadata, spec }, { ...call, fieldManager });
  }
  const labels = { [deliveryLabels.release]: release.name };
  // As whoever keeps Works would have it a moment later.
  const kept = context.hubName === undefined ? {} : { [clusterAnnotations.cluster]: context.hubName };
  const metadata = {
    namespace: cluster.id,
    name: workNameOf(release),
    labels,
    annotations: { ...annotations, ...kept },
    finalizers: [workFinalizer],
  };
  return hub.create(Work, newObject(Work, metadata, spec), { ...call, fieldManager });
}

/** How tests call what is written. */
const writtenTitle = (half: Half, { run, grant }: StepContext): string =>
  [run.name, ...(grant.isRollback === true ? ['back'] : []), grant.type, half].join(' ');

export const fieldManager = 'drover-workflows';

async function specOf(
  hub: KubeClient,
  present: Work | undefined,
  { objects, remove, half, sync, checkFirst }: HeldWork,
  { release, run, grant, snapshot, spec }: StepContext,
  call: CallOptions,
): Promise<Work['spec']> {
  const createNamespace = snapshot.infrastructure.spec['createNamespace'] === true;
  const before = present?.spec;
  // Others may have changed on the member what this step finds as it wants it.
  const again = half === 'begin' ? `${run.uid}/${grant.id}` : before?.options?.again;
  const next = {
    release,
    ...(await payload(hub, objects, call)),
    ...(remove.length > 0 && { remove: remove.map(ref => ({ ...ref })) }),
    options: {
      wait: false,
      order: 'AsGiven',
      takeOwnership: true,
      history: 1,
      maxFailures,
      createNamespace,
      ...(checkFirst && { checkFirst }),
      ...(half === 'begin' && { applyAll: true }),
      ...(again !== undefined && { again }),
      ...(spec.apply && { apply: spec.apply }),
      ...(spec.drift?.interval !== undefined && { compareEvery: `${durationMs(spec.drift.interval)}ms` }),
    },
    sync,
  } as Work['spec'];
  // What was removed at the beginning is not worth another delivery at the end.
  const isSame =
    half === 'end' && remove.length === 0 && before && jsonEqual([before.manifests, before.content], [next.manifests, next.content]);
  return isSame && before.remove ? { ...next, remove: before.remove } : next;
}

async function payload(
  hub: KubeClient,
  objects: readonly KubeObject[],
  call: CallOptions,
): Promise<Pick<Work['spec'], 'manifests' | 'content'>> {
  if (printJson(objects).length <= maxInlineBytes) return { manifests: objects as unknown as JsonObject[] };
  const bytes = Buffer.from(manifestText(objects));
  return { content: await putContent(hub, bytes, { type: contentTypes.manifests }, call) };
}
