import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Secret } from '../api/builtin-kinds.ts';
import { Cluster } from '../api/cluster.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { clusterId } from '../core/clusters/cluster-id.ts';
import {
  changesOf,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
  type Trigger,
} from '../runtime/controller.ts';
import type { Informer } from '../runtime/informer.ts';
import type { Key } from '../runtime/key.ts';
import { adminSecret } from './admin-secret.ts';
import type { SandboxHost, SandboxInfo } from './sandbox-host.ts';
import type { NodePlan } from './sandbox-nodes.ts';

export interface SandboxControllerDeps {
  readonly hub: KubeClient;
  readonly clusters: Informer<Cluster>;
  readonly host: SandboxHost;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-sandboxes';

/** Makes the sandboxes exist that Clusters ask for, and no others. */
export function runSandboxController({ hub, clusters, host, signal }: SandboxControllerDeps): RunningController {
  const published = new Map<Key, string>();
  // Those that nobody asks for any more, because their Cluster went while the hub was away.
  const present: Trigger = {
    synced: clusters.synced,
    start(add) {
      for (const { name } of host.list()) add(name);
      return { [Symbol.dispose]() {} };
    },
  };
  return runController({ name: 'sandbox', reconcile }, { triggers: [changesOf(clusters), present], signal });

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const cluster = clusters.get(key);
    if (cluster?.spec.connection.mode !== 'Sandbox') {
      published.delete(key);
      await host.remove(key);
      return settled;
    }
    const sandbox = await host.ensure({ name: key, owner: cluster.metadata.uid ?? '', nodes: nodesOf(cluster) });
    // Nothing is told of a cluster that is leaving; it goes when its object has gone.
    if (cluster.metadata.deletionTimestamp !== undefined) return settled;
    await report(cluster, sandbox, ctx);
    await publish(cluster, sandbox, ctx);
    return settled;
  }

  async function report({ metadata, status }: Cluster, { url }: SandboxInfo, { signal }: Context): Promise<void> {
    if (status?.server === url) return;
    const { name = '', uid = '' } = metadata;
    await hub.apply(Cluster, { metadata: { name, uid }, status: { server: url } }, { fieldManager, subresource: 'status', signal });
  }

  /** Gives the administrator's kubeconfig to those who may read Secrets in the namespace of the cluster, once that is there. */
  async function publish(cluster: Cluster, sandbox: SandboxInfo, { signal }: Context): Promise<void> {
    const key = sandbox.name;
    if (cluster.status?.id === undefined) return;
    const kubeconfig = readFileSync(sandbox.kubeconfig);
    const digest = createHash('sha256').update(kubeconfig).digest('base64');
    if (published.get(key) === digest) return;
    const metadata = { name: adminSecret.name, namespace: clusterId(cluster) };
    const data = { [adminSecret.key]: kubeconfig.toString('base64') };
    await hub.apply(Secret, { metadata, type: 'Opaque', data }, { fieldManager, signal });
    published.set(key, digest);
  }
}

function nodesOf({ spec: { sandbox } }: Cluster): NodePlan {
  return { count: sandbox?.nodes ?? 1, capacity: sandbox?.nodeCapacity ?? {} };
}
