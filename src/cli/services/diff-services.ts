import { fileNameOf } from '../../core/previews/plan-changes.ts';
import type { ShownPair } from '../../core/previews/shown-object.ts';
import { previewServices, type ClusterPreview, type PreviewedOwner } from '../../dialects/k0rdent/previews/preview-services.ts';
import { createRenderPool } from '../../render/render-pool.ts';
import { errorText } from '../../util/error-text.ts';
import { CommandError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';

/** What an owner of services would change on its clusters. */
export interface ServicesDiff {
  /** By the name of the cluster and that of the object. */
  readonly pairs: ReadonlyMap<string, ShownPair>;
  /** What would not change, and why. */
  readonly notes: readonly string[];
  readonly problems: readonly unknown[];
}

export async function diffServices(hub: HubConnection, asked: PreviewedOwner, signal: AbortSignal): Promise<ServicesDiff> {
  await using renderer = createRenderPool();
  const caller = {
    hub: hub.client,
    renderer,
    member: ({ metadata }: { metadata: { name?: string } }) => hub.source(metadata.name!).client,
  };
  const { clusters, look } = await previewServices(caller, asked, signal);
  if (clusters.length === 0 && asked.cluster !== undefined) {
    const { kind, owner, cluster } = asked;
    throw new CommandError(`${kind.kind} ${JSON.stringify(owner.metadata.name)} is not for cluster ${JSON.stringify(cluster)}`);
  }
  const found = new Map<string, ClusterPreview>();
  await look(preview => void found.set(preview.cluster, preview));
  const all = clusters.flatMap(name => found.get(name) ?? []);
  return {
    pairs: new Map(all.flatMap(({ cluster, changes }) => changes.map(one => [`${cluster}.${fileNameOf(one.ref)}`, one]))),
    notes: all.flatMap(({ cluster, notes }) => notes.map(note => `cluster ${cluster}: ${note}`)),
    problems: all.flatMap(({ cluster, problems }) => problems.map(one => new Error(`cluster ${cluster}: ${errorText(one)}`))),
  };
}
