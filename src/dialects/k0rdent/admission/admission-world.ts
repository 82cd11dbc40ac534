import type { Kind, KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Member } from '../../../core/delivery/member.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { k0rdent } from '../kinds/group.ts';
import { AccessManagement, Credential, Management, Region, Release } from '../kinds/management.ts';
import { MultiClusterService } from '../kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from '../kinds/namespaced-multi-cluster-service.ts';
import { ClusterTemplate } from '../kinds/template.ts';
import { getJudged } from './get-judged.ts';
import { grantedKey } from './granted-key.ts';

const ProviderInterface: KindRef = { ...k0rdent, kind: 'ProviderInterface', resource: 'providerinterfaces', scope: 'Cluster' };

export interface AdmissionDeps {
  readonly hub: KubeClient;
  readonly hubObjects: Member;
  readonly deployments: Informer<ClusterDeployment>;
}

type Of<Spec, Status> = KubeObject & { spec: Spec; status?: Status };
interface Name {
  readonly namespace?: string;
  readonly name: string;
}

/** What is asked about other objects. Always of the API itself: what was written a moment ago counts. */
export interface AdmissionWorld {
  get<Spec, Status>(kind: Kind<Spec, Status>, key: Name): Promise<Of<Spec, Status> | undefined>;
  /** In its namespace, or granted to it. Waits a little for what a controller has to say of an object that was just written. */
  getJudged<Spec, Status>(
    kind: Kind<Spec, Status>,
    key: Name,
    isJudged: (obj: Of<Spec, Status>) => boolean,
  ): Promise<Of<Spec, Status> | undefined>;
  /** Whether a namespace may use an object of the system namespace. */
  isGranted(kind: KindRef, key: Name): Promise<boolean>;
  getAny(kind: KindRef, key: Name): Promise<KubeObject | undefined>;
  findKind(group: string, version: string, kind: string): Promise<KindRef | undefined>;
  /** Those of one namespace, or of all. There may be thousands, so they come from the informer. */
  deployments(namespace?: string): Promise<ClusterDeployment[]>;
  services(): Promise<MultiClusterService[]>;
  namespacedServices(): Promise<MultiClusterService[]>;
  regions(): Promise<Region[]>;
  managements(): Promise<Management[]>;
  accessManagements(): Promise<AccessManagement[]>;
  releases(): Promise<Release[]>;
  credentials(): Promise<Credential[]>;
  clusterTemplates(): Promise<ClusterTemplate[]>;
  providerInterfaces(provider: string): Promise<KubeObject[]>;
}

/** As one review sees it. */
export function admissionWorld({ hub, hubObjects, deployments }: AdmissionDeps, signal: AbortSignal): AdmissionWorld {
  const all = async <Spec, Status>(kind: Kind<Spec, Status>) => (await hub.list(kind, { signal })).items;
  // All that one review waits for, together. API servers wait for ten seconds.
  const patience = AbortSignal.timeout(5_000);
  return {
    get: (kind, key) => hub.get(kind, key, { signal }),
    async getJudged(kind, key, isJudged) {
      const options = { isJudged, patience, signal };
      const own = await getJudged(hub, kind, key, options);
      const granted = own ? undefined : await grantedKey(hub, kind, key, signal);
      return granted ? getJudged(hub, kind, granted, options) : own;
    },
    isGranted: async (kind, key) => (await grantedKey(hub, kind, key, signal)) !== undefined,
    getAny: (kind, key) => hub.get(kind, key, { signal }),
    findKind: (group, version, kind) => hubObjects.kinds.find({ group, version, kind }, signal),
    async deployments(namespace) {
      await deployments.synced;
      return deployments.list().filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    },
    services: () => all(MultiClusterService),
    namespacedServices: () => all(NamespacedMultiClusterService),
    regions: () => all(Region),
    managements: () => all(Management),
    accessManagements: () => all(AccessManagement),
    releases: () => all(Release),
    credentials: () => all(Credential),
    clusterTemplates: () => all(ClusterTemplate),
    async providerInterfaces(provider) {
      const labelSelector = `cluster.x-k8s.io/provider=${provider}`;
      return (await hub.list(ProviderInterface, { labelSelector, signal })).items;
    },
  };
}
