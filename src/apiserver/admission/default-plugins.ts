import { certificateAdmission } from '../../auth/certificate-admission.ts';
import type { Authorizer } from '../../auth/user.ts';
import { httpsPools, type HttpsPools } from '../aggregation/https-pools.ts';
import { serviceResolver, type ResolveService } from '../aggregation/resolve-service.ts';
import type { ClusterApi } from '../cluster-api.ts';
import type { AdmissionPlugin } from './admission.ts';
import { defaultIngressClass, defaultStorageClass } from './default-classes.ts';
import { limitRanger } from './limit-ranger.ts';
import { mutatingPolicy } from './mutating-policy.ts';
import { mutatingWebhook } from './mutating-webhook.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { podPriority } from './pod-priority.ts';
import { defaultTolerationSeconds, runtimeClassPlugin, taintNodesByCondition } from './pod-scheduling.ts';
import { podSecurity } from './pod-security.ts';
import { resourceQuota } from './resource-quota.ts';
import { serviceAccountPlugin } from './service-account.ts';
import { persistentVolumeClaimResize, storageObjectInUseProtection } from './storage-protection.ts';
import { validatingPolicy } from './validating-policy.ts';
import { validatingWebhook } from './validating-webhook.ts';
import { watchedLists } from './watched-lists.ts';
import type { OwnWebhooks } from './webhook-client.ts';

export interface AdmissionDeps {
  readonly api: ClusterApi;
  /** Answers `authorizer` in CEL expressions, and who may approve and sign certificates. */
  readonly authorizer?: Authorizer;
  /** Default: endpoints and external names of the cluster's own services. */
  readonly resolveService?: ResolveService;
  /** Default: connections of its own. Whoever gives them closes them. */
  readonly pools?: HttpsPools;
  readonly ownWebhooks?: OwnWebhooks | undefined;
}

/** The plugins that a kube-apiserver runs when nobody configures any, in its order. */
export function defaultPlugins({
  api,
  authorizer,
  resolveService = serviceResolver(api),
  pools = httpsPools(),
  ownWebhooks: own,
}: AdmissionDeps): AdmissionPlugin[] {
  const lists = watchedLists(api);
  const webhooks = { lists, pools, resolveService, own, ...(authorizer && { authorizer }) };
  const policies = { lists, ...(authorizer && { authorizer }) };
  return [
    namespaceLifecycle(),
    limitRanger(lists),
    serviceAccountPlugin(),
    taintNodesByCondition(),
    podSecurity(),
    podPriority(),
    defaultTolerationSeconds(),
    defaultStorageClass(),
    storageObjectInUseProtection(),
    persistentVolumeClaimResize(),
    runtimeClassPlugin(),
    ...(authorizer ? certificateAdmission(authorizer) : []),
    defaultIngressClass(),
    mutatingPolicy(policies),
    mutatingWebhook(webhooks),
    validatingPolicy(policies),
    validatingWebhook(webhooks),
    resourceQuota(lists),
  ];
}
