import { Secret } from '../../../api/builtin-kinds.ts';
import type { Cluster } from '../../../api/cluster.ts';
import { apiVersionOf, type OwnerReference } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { newToken, tokenSecret } from '../../../core/registration/registration-token.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import { informer, type Informer } from '../../../runtime/informer.ts';
import { keyOf, splitKey, type Key } from '../../../runtime/key.ts';
import { jsonEqual } from '../../../util/json.ts';
import { ClusterRegistrationToken } from '../kinds/cluster.ts';
import { tokenMark } from '../names.ts';
import { fieldManager } from './field-manager.ts';
import { planToken, type TokenPlan } from './plan-token.ts';
import { reportConditions, type RancherReport } from './rancher-condition.ts';
import type { Settings } from './settings.ts';

export interface RegistrationTokenDeps {
  readonly hub: KubeClient;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  readonly tokens: Informer<ClusterRegistrationToken>;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  onError(what: string): (error: unknown) => void;
}

type TokenStatus = NonNullable<ClusterRegistrationToken['status']>;

/** Gives every ClusterRegistrationToken a token, whose hash alone opens the door, and says where the manifest is. */
export function runRegistrationTokens({ hub, clusters, tokens, settings, signal, onError }: RegistrationTokenDeps): RunningController {
  const tokenOf = ({ metadata: { namespace = '', annotations } }: Secret): Key[] => [`${namespace}/${annotations?.[tokenMark] ?? ''}`];
  const secrets = informer(hub, Secret, {
    signal,
    labelSelector: tokenMark,
    indexes: { token: tokenOf },
    keep: keepOfSecret,
    onError: onError('Secret'),
  });
  const tokensOf = (cluster: Cluster): Key[] => tokens.by('namespace', clusterId(cluster)).map(keyOf);
  const running = runController(
    { name: 'rancher-registration-token', reconcile },
    {
      triggers: [
        changesOf(tokens),
        changesOf(secrets, tokenOf),
        changesOf(clusters, tokensOf, ({ metadata, spec }) => [metadata.uid, spec]),
      ],
      signal,
    },
  );
  // Another address of the hub, or another time to live.
  const subscription = settings.informer.subscribe(() => {
    for (const token of tokens.list()) running.add(keyOf(token));
  });
  signal.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true });
  return running;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const token = tokens.get(key);
    if (!token || token.metadata.deletionTimestamp !== undefined) return await closeDoor(key, new Set(), ctx);
    const fault = faultOf(token, clusters.by('id', token.metadata.namespace ?? '')[0]);
    if (fault) {
      await report(token, { conditions: reportConditions(token.status?.conditions, [fault], ctx.now) }, ctx);
      return await closeDoor(key, new Set(), ctx);
    }
    const plan = planToken(token, ctx.now, {
      defaultTtlMinutes: settings.number('crt-default-ttl-minutes'),
      defaultGraceMinutes: settings.number('crt-default-grace-period-minutes'),
      makeToken: newToken,
    });
    // Said first: whoever is stopped here finds it again, and opens the door then.
    await report(token, { ...plan.status, ...addressesOf(token, plan, settings.value('server-url')) }, ctx);
    const open = await openDoor(token, plan, ctx);
    await closeDoor(key, open, ctx);
    return plan.nextAt ? requeue(Math.min(plan.nextAt.getTime() - ctx.now.getTime() + 1_000, 2 ** 31 - 1)) : settled;
  }

  /** Answers the names of the Secrets of all tokens that hold. */
  async function openDoor(token: ClusterRegistrationToken, { accepted }: TokenPlan, { signal }: Context): Promise<Set<string>> {
    const namespace = token.metadata.namespace!;
    const names = new Set<string>();
    for (const one of accepted) {
      const wanted = tokenSecret(one.token, { namespace, expiresAt: one.expiresAt });
      const { name = '', labels } = wanted.metadata;
      names.add(name);
      const present = await hub.get(Secret, { namespace, name }, { signal });
      if (present?.data?.['expiresAt'] === wanted.data?.['expiresAt']) continue;
      const metadata = {
        name,
        namespace,
        labels: { ...labels, [tokenMark]: 'true' },
        annotations: { [tokenMark]: token.metadata.name! },
        ownerReferences: [ownedBy(token)],
      };
      if (!present) await hub.create(Secret, { ...wanted, metadata }, { signal, fieldManager });
      // Which member has used it stays written there.
      else await hub.patch(Secret, { namespace, name }, { type: 'merge', body: { data: { ...wanted.data } } }, { signal, fieldManager });
    }
    return names;
  }

  /** Takes the hashes away of tokens that do not hold any more. */
  async function closeDoor(key: Key, open: ReadonlySet<string>, { signal }: Context): Promise<Outcome> {
    const { namespace } = splitKey(key);
    for (const { metadata } of secrets.by('token', key)) {
      const { name = '' } = metadata;
      if (!open.has(name)) await hub.delete(Secret, { namespace, name }, { signal });
    }
    return settled;
  }

  async function report(token: ClusterRegistrationToken, status: TokenStatus, { signal }: Context): Promise<void> {
    if (jsonEqual(token.status, status)) return;
    const { namespace = '', name = '', uid = '' } = token.metadata;
    await hub.apply(
      ClusterRegistrationToken,
      { metadata: { namespace, name, uid }, status },
      { signal, fieldManager, subresource: 'status' },
    );
  }
}

/** All empty while the hub does not know its own address. */
function addressesOf({ metadata: { namespace = '' } }: ClusterRegistrationToken, { status }: TokenPlan, server: string): TokenStatus {
  const manifestUrl = server === '' ? '' : `${server.replace(/\/+$/, '')}/v3/import/${status.token}_${namespace}.yaml`;
  return {
    manifestUrl,
    command: manifestUrl && `kubectl apply -f ${manifestUrl}`,
    insecureCommand: manifestUrl && `curl --insecure -sfL ${manifestUrl} | kubectl apply -f -`,
    nodeCommand: '',
    insecureNodeCommand: '',
    windowsNodeCommand: '',
    insecureWindowsNodeCommand: '',
  };
}

function faultOf({ metadata, spec }: ClusterRegistrationToken, cluster: Cluster | undefined): RancherReport | undefined {
  const { namespace = '' } = metadata;
  const fault = (reason: string, message: string): RancherReport => ({ type: 'Ready', status: 'False', reason, message });
  if (spec.clusterName !== namespace) return fault('InvalidClusterName', `spec.clusterName must be "${namespace}", as the namespace is`);
  if (!cluster) return fault('ClusterNotFound', `There is no cluster with the id "${namespace}"`);
  if (cluster.spec.connection.mode !== 'Tunnel')
    return fault('NoAgent', `Cluster "${cluster.metadata.name}" is not reached through an agent, so there is nothing to register`);
  return undefined;
}

function ownedBy({ metadata: { name = '', uid = '' } }: ClusterRegistrationToken): OwnerReference {
  return { apiVersion: apiVersionOf(ClusterRegistrationToken), kind: ClusterRegistrationToken.kind, name, uid };
}

/** Only which there are matters: what is in them is read when it is needed. */
function keepOfSecret({ apiVersion, kind, metadata }: Secret): Secret {
  const { namespace = '', name = '', uid = '', resourceVersion = '', annotations = {} } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion, annotations } };
}
