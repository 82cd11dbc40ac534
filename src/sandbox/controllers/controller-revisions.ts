import type { ControllerRevision, LabelSelector, PodTemplateSpec } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { selectorMatches } from '../../apiserver/validation/label-selector.ts';
import { jsonEqual } from '../../util/json.ts';
import { claimObjects } from './claim-objects.ts';
import type { ControllerContext } from './controller-definition.ts';
import { inKeyOrder } from './pod-template-hash.ts';
import { asObject, asStored, byCreation, controllerRefTo, targetOf, type Stored, type StoredIdentity } from './stored-object.ts';
import { controllerRevisions, fieldManager, type WorkloadResource } from './workload-resources.ts';
import { isAlreadyExists, unlessGone } from './write-errors.ts';

/** A template that a StatefulSet or DaemonSet has or had. */
export type Revision = Stored<ControllerRevision>;

/** The label that tells on a pod, and on a DaemonSet's revision, which template it is of. */
export const revisionLabel = 'controller-revision-hash';

/** A template in the form that `kubectl rollout undo` sends back as a patch. Clients compare its bytes, so keys are in order. */
export function revisionData(template: PodTemplateSpec): object {
  return inKeyOrder({ spec: { template: { ...template, $patch: 'replace' } } }) as object;
}

/** The template that a revision holds. */
export function templateOf({ data }: Revision): PodTemplateSpec {
  const { $patch: _, ...template } = (data as { spec: { template: PodTemplateSpec & { $patch?: string } } }).spec.template;
  return template;
}

export const hasSameData = (a: Revision, data: object): boolean => jsonEqual(a.data, data);

/** Any int64: JSON of that size is read as a bigint. */
export const numberOf = ({ revision }: Revision): bigint => BigInt(revision);

/** Oldest revision first. */
export function byRevision(a: Revision, b: Revision): number {
  const [left, right] = [numberOf(a), numberOf(b)];
  return left === right ? byCreation(a, b) : left < right ? -1 : 1;
}

/** Keeps the revisions of the owners of one kind. */
export interface RevisionHistory {
  /** The owner's revisions, oldest first; orphans that match are taken over. */
  claim(owner: StoredIdentity & { spec: { selector: LabelSelector } }): Promise<Revision[]>;
  /** Creates the revision that `make` gives for a collision count, raising the count while the name is taken by another template. */
  create(
    collisionCount: number,
    make: (collisionCount: number) => KubeObject,
  ): Promise<{ readonly revision: Revision; readonly collisionCount: number }>;
  renumber(revision: Revision, number: bigint): Promise<Revision>;
  delete(revisions: readonly Revision[]): Promise<void>;
}

export function revisionHistory(ctx: ControllerContext, ownerResource: WorkloadResource): RevisionHistory {
  const { api } = ctx;
  return {
    async claim(owner) {
      const known = ctx.controlled(controllerRevisions);
      const { namespace = '', uid } = owner.metadata;
      const candidates = [...known.of(namespace, uid), ...known.orphans(namespace)].map(obj => asStored<ControllerRevision>(obj));
      const matches = (revision: Revision) => selectorMatches(owner.spec.selector, revision.metadata.labels);
      const claimed = await claimObjects(api, { resource: controllerRevisions, owner, ownerResource, candidates, matches });
      return claimed.sort(byRevision);
    },
    async create(collisionCount, make) {
      for (let count = collisionCount; ; count++) {
        const wanted = make(count);
        try {
          const created = await api.create(controllerRevisions, wanted, { fieldManager });
          return { revision: asStored<ControllerRevision>(created), collisionCount: count };
        } catch (error) {
          if (!isAlreadyExists(error)) throw error;
          const { namespace, name } = targetOf(wanted);
          const taken = api.peek(controllerRevisions, namespace, name);
          if (taken && jsonEqual(taken['data'], wanted['data']))
            return { revision: asStored<ControllerRevision>(taken), collisionCount: count };
        }
      }
    },
    async renumber(revision, number) {
      if (numberOf(revision) === number) return revision;
      const next = asObject({ ...revision, revision: asJson(number) });
      return asStored<ControllerRevision>(await api.update(controllerRevisions, next, { fieldManager }));
    },
    async delete(revisions) {
      for (const revision of revisions) await unlessGone(api.delete(controllerRevisions, targetOf(revision), { fieldManager }));
    },
  };
}

export interface RevisionDraft {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly template: PodTemplateSpec;
  readonly revision: bigint;
}

const asJson = (number: bigint): number | bigint => (number <= Number.MAX_SAFE_INTEGER ? Number(number) : number);

/** A revision of an owner, with the owner's annotations: the cause of a change is among them. */
export function revisionFor(owner: StoredIdentity, { name, labels, template, revision }: RevisionDraft): KubeObject {
  const { namespace = '', annotations } = owner.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace,
      labels: { ...labels },
      ...(annotations && { annotations: { ...annotations } }),
      ownerReferences: [controllerRefTo(owner)],
    },
    data: revisionData(template),
    revision: asJson(revision),
  };
}
