import type { KubeObject } from '../../../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../util/json.ts';
import type { NormanType } from '../norman-type.ts';
import { containersOf, objectFields } from './object-fields.ts';
import type { ProjectPlace } from './project-namespaces.ts';
import { projectType } from './project-type.ts';
import { workloadKinds, workloadTypeOf } from './workload-kinds.ts';

/** `/v3/project/<id>/workloads`: what makes pods in the namespaces of a project, except what another workload made. */
export function workloadType(place: ProjectPlace): NormanType {
  return projectType({
    id: 'workload',
    plural: 'workloads',
    place,
    kinds: workloadKinds,
    fields: {
      containers: { type: 'array[json]' },
      scale: { type: 'int', nullable: true },
      selector: { type: 'json', nullable: true },
      workloadLabels: { type: 'map[string]' },
      workloadAnnotations: { type: 'map[string]' },
    },
    isShown: isOutermost,
    typeOf: ({ kind }) => workloadTypeOf(kind),
    fieldsOf,
  });
}

const isOutermost = ({ metadata }: KubeObject) =>
  !metadata.ownerReferences?.some(({ controller, kind }) => controller && workloadKinds.some(one => one.kind === kind));

function fieldsOf(obj: KubeObject): JsonObject {
  const spec = membersOf(obj['spec']);
  const template = membersOf(membersOf(membersOf(spec['jobTemplate'])['spec'])['template'] ?? spec['template']);
  const metadata = membersOf(template['metadata']);
  return {
    ...objectFields(obj),
    containers: containersOf(template['spec']),
    // What runs once on every node, or to its end, has no scale.
    scale: scaled.has(obj.kind) ? (spec['replicas'] ?? 1) : null,
    selector: spec['selector'] ?? null,
    workloadLabels: membersOf(metadata['labels']),
    workloadAnnotations: membersOf(metadata['annotations']),
  };
}

const scaled = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController']);

const membersOf = (value: unknown): JsonObject => (isJsonObject(value as Json) ? (value as JsonObject) : {});
