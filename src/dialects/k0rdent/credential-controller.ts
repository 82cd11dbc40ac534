import { withConditions, type ConditionReport } from '../../api/conditions.ts';
import { parseApiVersion } from '../../api/object.ts';
import { addFinalizer, removeFinalizer } from '../../client/finalizers.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Member } from '../../core/delivery/member.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { followedObjects } from '../../core/references/followed-objects.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentFinalizers } from './kinds/group.ts';
import { Credential } from './kinds/management.ts';
import { componentLabels, markObject, reportStatus } from './report-status.ts';

export interface CredentialsDeps {
  readonly hub: KubeClient;
  /** The hub as something whose objects can be followed. */
  readonly hubObjects: Member;
  readonly credentials: Informer<Credential>;
  readonly deployments: Informer<ClusterDeployment>;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-k0rdent-credentials';

/** The object that holds the identity; undefined when the Credential does not say. */
export function identityOf({ metadata, spec: { identityRef } }: Credential): ObjectRef | undefined {
  const { apiVersion = 'v1', kind, name, namespace = metadata.namespace } = identityRef;
  if (!kind || !name) return undefined;
  return { ...parseApiVersion(apiVersion || 'v1'), kind, name, ...(namespace && { namespace }) };
}

/** Says whether the identities of Credentials are there, and keeps Credentials for as long as a ClusterDeployment uses them. */
export function runCredentials({ hub, hubObjects, credentials, deployments, signal }: CredentialsDeps): RunningController {
  const followed = followedObjects(hubObjects.watches, key => running.add(key));
  const usedBy = ({ metadata, spec }: ClusterDeployment) => (spec.credential ? [`${metadata.namespace}/${spec.credential}`] : []);
  const running = runController(
    { name: 'k0rdent-credentials', reconcile },
    { triggers: [changesOf(credentials), changesOf(deployments, usedBy)], signal, firstDelayMs: 500 },
  );
  return running;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const credential = credentials.get(key);
    if (!credential) return (followed.keepOnly(key, []), settled);
    const { signal: stop } = ctx;
    if (credential.metadata.deletionTimestamp !== undefined) {
      const isUsed = deployments.list().some(one => usedBy(one).includes(key));
      if (!isUsed) await removeFinalizer(hub, Credential, credential, k0rdentFinalizers.credential, { signal: stop });
      return settled;
    }
    await addFinalizer(hub, Credential, credential, k0rdentFinalizers.credential, { signal: stop });
    await markObject(hub, Credential, credential, { labels: componentLabels }, { fieldManager, signal: stop });
    const report = await judge(key, credential, stop);
    const { generation } = credential.metadata;
    const status = {
      ready: report.status === 'True',
      conditions: withConditions(credential.status?.conditions, [report], { now: ctx.now, generation }),
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    await reportStatus(hub, Credential, credential, status, { fieldManager, signal: stop });
    return settled;
  }

  async function judge(key: Key, credential: Credential, stop: AbortSignal): Promise<ConditionReport> {
    const identity = identityOf(credential);
    followed.keepOnly(key, identity ? [identity] : []);
    if (!identity) return notReady('identityRef needs kind and name');
    const gvk = { group: identity.group, version: identity.version, kind: identity.kind };
    const kind = await hubObjects.kinds.find(gvk, stop);
    const where = [identity.namespace, identity.name].filter(Boolean).join('/');
    const failure = `Failed to get ClusterIdentity object of Kind=${identity.kind} ${where}`;
    if (!kind) return notReady(`${failure}: the hub has no such kind in ${identity.group || 'v1'}`);
    const found = await followed.read(identity, key, stop);
    return found
      ? { type: 'CredentialReady', status: 'True', reason: 'Succeeded', message: 'Credential is ready' }
      : notReady(`${failure}: not found`);
  }
}

const notReady = (message: string): ConditionReport => ({ type: 'CredentialReady', status: 'False', reason: 'Failed', message });
