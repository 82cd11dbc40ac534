import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { isJsonObject, type JsonObject } from '../../../util/json.ts';
import type { ReleaseRecord, WorkloadRevision } from './book.ts';
import { composeWork, merged, nextWork } from './compose-work.ts';
import { specOf, withSpec } from './pod-template.ts';
import { recordOf, succeededBefore } from './release-numbers.ts';
import type { UnitLog } from './step-log.ts';
import type { OfflineInput, StepBegin, StepInput } from './step.ts';

type Listing = Omit<ObjectRef, 'name'>;

const revisionKinds: Readonly<Record<string, string>> = {
  Deployment: 'ReplicaSet',
  StatefulSet: 'ControllerRevision',
  DaemonSet: 'ControllerRevision',
};

/** Where the member keeps what workloads were. Only releases of old need it: ours hold their manifests. */
export function neededListsOfRollback({ book, run, clusterRun }: OfflineInput): Listing[] {
  const release = recordOf(book, clusterRun.releaseNumber);
  const target = release?.runUid === run.uid ? succeededBefore(book, release.number) : undefined;
  const lists = (target?.workloads ?? []).flatMap(({ kind, namespace }) => listingOf(kind, namespace) ?? []);
  return [...new Map(lists.map(list => [`${list.kind} ${list.namespace}`, list])).values()];
}

function listingOf(kind: string, namespace: string): Listing | undefined {
  const revision = revisionKinds[kind];
  return revision === undefined ? undefined : { group: 'apps', version: 'v1', kind: revision, namespace };
}

/** Gives workloads the pod templates back that they had. Everything else of the release is unknown and stays. */
export function rollBackLegacy(input: StepInput, target: ReleaseRecord, log: UnitLog): StepBegin {
  const restored: KubeObject[] = [];
  for (const one of target.workloads ?? []) {
    const workload = input.present.find(({ kind, metadata }) => kind === one.kind && metadata.name === one.name);
    const template = templateOf(one, input);
    if (!workload || !template) {
      const message = `Revision ${one.revision} of ${one.kind}/${one.name} is not on the cluster any more`;
      return { outcome: 'failed', message, lines: log.error(message).failed().lines };
    }
    log.info(`Rolling back ${one.kind}/${one.name} to revision ${one.revision}`);
    restored.push(withSpec(workload, { template }));
  }
  return {
    outcome: 'deliver',
    ...nextWork(composeWork(merged(input.present, restored), input.book.records), { lines: log.done().lines }),
    await: restored.map(refOf),
  };
}

function templateOf({ kind, name, namespace, revision }: WorkloadRevision, { listed }: StepInput): JsonObject | undefined {
  const listing = listingOf(kind, namespace);
  const owned = (listing && listed?.(listing))?.filter(obj =>
    obj.metadata.ownerReferences?.some(owner => owner.kind === kind && owner.name === name),
  );
  for (const obj of owned ?? []) {
    const isReplicaSet = obj.kind === 'ReplicaSet';
    const found = isReplicaSet ? obj.metadata.annotations?.['deployment.kubernetes.io/revision'] : obj['revision'];
    if (String(found) !== revision) continue;
    const { data } = obj;
    const spec = isReplicaSet ? specOf(obj) : isJsonObject(data) && isJsonObject(data['spec']) ? data['spec'] : {};
    if (isJsonObject(spec['template'])) return cleaned(spec['template']);
  }
  return undefined;
}

/** Without what the member adds to templates that it keeps. */
function cleaned({ $patch: _patch, metadata, ...rest }: JsonObject): JsonObject {
  const { labels, ...others } = isJsonObject(metadata) ? metadata : {};
  const { 'pod-template-hash': _hash, ...own } = isJsonObject(labels) ? labels : {};
  return { ...rest, metadata: { ...others, labels: own } };
}
