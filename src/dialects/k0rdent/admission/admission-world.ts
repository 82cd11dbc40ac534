import type { Kind, KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Member } from '../../../core/delivery/member.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { AccessManagement, Credential, Management, Region, Release } from '../kinds/management.ts';
import { MultiClusterService } from '../kinds/multi-cluster-service.ts';

export interface AdmissionDeps {
  readonly hub: KubeClient;
  readonly hubObjects: Member;
  readonly deployments: Informer<ClusterDeployment>;
}

/** What is asked about other objects. Always of the API itself: what was written a moment ago counts. */
export interface AdmissionWorld {
  get<Spec, Status>(
    kind: Kind<Spec, Status>,
    key: { namespace?: string; name: string },
  ): Promise<(KubeObject & { spec: Spec; status?: Status }) | undefined>;
  getAny(kind: KindRef, key: { namespace?: string; name: string }): Promise<KubeObject | undefined>;
  findKind(group: string, version: string, kind: string): Promise<KindRef | undefined>;
  /** Those of one namespace, or of all. There may be thousands, so they come from the informer. */
  deployments(namespace?: string): Promise<ClusterDeployment[]>;
  services(): Promise<MultiClusterService[]>;
  regions(): Promise<Region[]>;
  managements(): Promise<Management[]>;
  accessManagements(): Promise<AccessManagement[]>;
  releases(): Promise<Release[]>;
  credentials(): Promise<Credential[]>;
}

export function admissionWorld({ hub, hubObjects, deployments }: AdmissionDeps, signal: AbortSignal): AdmissionWorld {
  const all = async <Spec, Status>(kind: Kind<Spec, Status>) => (await hub.list(kind, { signal })).items;
  return {
    get: (kind, key) => hub.get(kind, key, { signal }),
    getAny: (kind, key) => hub.get(kind, key, { signal }),
    findKind: (group, version, kind) => hubObjects.kinds.find({ group, version, kind }, signal),
    async deployments(namespace) {
      await deployments.synced;
      return deployments.list().filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    },
    services: () => all(MultiClusterService),
    regions: () => all(Region),
    managements: () => all(Management),
    accessManagements: () => all(AccessManagement),
    releases: () => all(Release),
    credentials: () => all(Credential),
  };
}
