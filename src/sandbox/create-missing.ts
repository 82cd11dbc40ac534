import { Cluster } from '../api/cluster.ts';
import { newObject } from '../api/define-kind.ts';
import { StatusError } from '../api/status.ts';
import type { CallOptions, KubeClient } from '../client/kube-client.ts';
import { mapBounded } from '../util/map-bounded.ts';

const atOnce = 32;

/** Asks for `sandbox-1` to `sandbox-<count>`, as far as there are no clusters of these names, and answers the names of the new ones. */
export async function createMissingSandboxes(hub: KubeClient, count: number, call: CallOptions = {}): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `sandbox-${i + 1}`);
  const present = new Set((await hub.list(Cluster, call)).items.map(({ metadata }) => metadata.name));
  const missing = names.filter(name => !present.has(name));
  await mapBounded(missing, atOnce, async name => {
    try {
      await hub.create(Cluster, newObject(Cluster, { name }, { connection: { mode: 'Sandbox' } }), call);
    } catch (error) {
      if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
    }
  });
  return missing;
}
