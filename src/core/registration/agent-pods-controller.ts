import { Pod } from '../../api/builtin-kinds.ts';
import { agentConditions, Cluster, clusterConditions } from '../../api/cluster.ts';
import { findCondition, withConditions, type Condition, type ConditionReport } from '../../api/conditions.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { jsonEqual } from '../../util/json.ts';
import { agentDeployment, agentNamespace } from './agent-names.ts';
import { judgeAgentPods } from './judge-agent-pods.ts';

export interface AgentPodsDeps {
  readonly hub: KubeClient;
  readonly clusters: Informer<Cluster>;
  readonly members: {
    /** Throws where there is no way to the member. */
    client(name: string): KubeClient;
    subscribe(listener: (name: string) => void): Disposable;
  };
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-agent-pods';

/** Says on the Cluster when the agent's own pods are in trouble, for as long as some agent is there to see them. */
export function runAgentPodsController({ hub, clusters, members, signal }: AgentPodsDeps): RunningController {
  const followed = new Map<Key, FollowedPods>();
  const running = runController({ name: 'agent-pods', reconcile }, { triggers: [changesOf(clusters)], signal });
  const subscription = members.subscribe(name => {
    // The next look follows the new way.
    forget(name);
    running.add(name);
  });
  signal.addEventListener('abort', () => {
    subscription[Symbol.dispose]();
    for (const key of followed.keys()) forget(key);
  });
  return running;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const cluster = clusters.get(key);
    const isSeen = cluster?.spec.connection.mode === 'Tunnel' && findCondition(cluster, clusterConditions.connected)?.status === 'True';
    // What was last seen of an agent that is away stays: it may well be the reason.
    if (!isSeen) forget(key);
    if (!cluster || !isSeen) return settled;

    const pods = follow(key).pods();
    if (pods) await report(cluster, judgeAgentPods(pods), ctx);
    return settled;
  }

  function follow(key: Key): FollowedPods {
    const present = followed.get(key);
    if (present) return present;
    const made = followPods(members.client(key), () => running.add(key));
    followed.set(key, made);
    return made;
  }

  function forget(key: Key): void {
    followed.get(key)?.[Symbol.dispose]();
    followed.delete(key);
  }

  async function report({ metadata: { name = '', uid, generation }, status }: Cluster, judged: ConditionReport | undefined, ctx: Context) {
    const before = status?.conditions?.filter(({ type }) => type === agentConditions.deployed) ?? [];
    const next: Condition[] = judged ? withConditions(before, [judged], { now: ctx.now, generation }) : [];
    if (jsonEqual(next, before)) return;
    const metadata = { name, ...(uid !== undefined && { uid }) };
    await hub.apply(Cluster, { metadata, status: { conditions: next } }, { fieldManager, subresource: 'status', signal: ctx.signal });
  }
}

interface FollowedPods extends Disposable {
  /** Undefined until all have been seen once. */
  pods(): Pod[] | undefined;
}

function followPods(client: KubeClient, onChange: () => void): FollowedPods {
  const ended = new AbortController();
  const pods = informer(client, Pod, { signal: ended.signal, namespace: agentNamespace, labelSelector: `app=${agentDeployment}` });
  pods.subscribe(onChange);
  pods.synced.then(onChange, () => {});
  return {
    pods: () => (pods.hasSynced ? pods.list() : undefined),
    [Symbol.dispose]: () => ended.abort(),
  };
}
