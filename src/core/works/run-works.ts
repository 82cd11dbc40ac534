import type { Cluster } from '../../api/cluster.ts';
import { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import type { RunningController } from '../../runtime/controller.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import type { Egress } from '../../sources/egress.ts';
import type { MemberDirectory } from '../clusters/member-directory.ts';
import { readContent } from '../contents/read-content.ts';
import { runContentPinner } from '../sources/pin-content.ts';
import { runContentCollector } from './collect-contents.ts';
import { runDeliverer } from './deliver-works.ts';
import { hubMembers } from './hub-members.ts';
import { workRevisions } from './keep-history.ts';
import { runWorkKeeper } from './keep-works.ts';
import { workIndexes } from './work-indexes.ts';

export interface WorksDeps {
  readonly hub: KubeClient;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly directory: MemberDirectory;
  readonly renderer: RenderPool;
  /** The way to the sources of Works. */
  readonly egress: Egress;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

/** Everything about Works that runs in a hub: it delivers to the clusters that it reaches itself, and looks after the Works of all. */
export function runWorks({ hub, clusters, works, directory, renderer, egress, signal, onError }: WorksDeps): RunningController[] {
  const revisions = workRevisions(hub, { signal, onError: onError('ControllerRevision') });
  return [
    runWorkKeeper({ hub, works, clusters, revisions, signal }),
    runContentCollector({ hub, works, revisions, signal }),
    runContentPinner({
      hub,
      works,
      egress,
      clusterName: namespace => clusters.by('id', namespace)[0]?.metadata.name ?? namespace,
      signal,
    }),
    runDeliverer({
      hub,
      works,
      members: hubMembers({ clusters, directory, signal }),
      renderer,
      readContent: (digest, stop) => readContent(hub, digest, { signal: stop }),
      signal,
    }),
  ];
}

/** All Works of a hub, for everybody there who has to do with them. */
export function workInformer(hub: KubeClient, { signal, onError }: Pick<WorksDeps, 'signal' | 'onError'>): Informer<Work> {
  return informer(hub, Work, { signal, indexes: workIndexes, keep: keepOfWork, onError: onError(Work.kind) });
}

/** Who owns which field is a large part of a Work, and nobody asks but for who wrote the spec. */
function keepOfWork({ metadata: { managedFields, ...metadata }, ...work }: Work): Work {
  const ofSpec = (managedFields ?? [])
    .filter(({ fieldsV1, subresource = '' }) => subresource === '' && fieldsV1?.['f:spec'] !== undefined)
    .map(({ manager = '', time = '' }) => ({ manager, time, fieldsV1: { 'f:spec': {} } }));
  return { ...work, metadata: { ...metadata, ...(ofSpec.length > 0 && { managedFields: ofSpec }) } } as Work;
}
