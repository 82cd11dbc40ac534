import { Pod } from '../../../../api/builtin-kinds.ts';
import { isJsonObject } from '../../../../util/json.ts';
import type { NormanType } from '../norman-type.ts';
import { containersOf, objectFields } from './object-fields.ts';
import type { ProjectPlace } from './project-namespaces.ts';
import { projectType } from './project-type.ts';
import { workloadOfPod } from './workload-kinds.ts';

/** `/v3/project/<id>/pods`. With `workloadId=` those that belong to no workload. */
export function podType(place: ProjectPlace): NormanType {
  return projectType({
    id: 'pod',
    plural: 'pods',
    place,
    kinds: [Pod],
    fields: {
      workloadId: { type: 'reference[workload]' },
      nodeId: { type: 'string', nullable: true },
      containers: { type: 'array[json]' },
      status: { type: 'json', nullable: true },
    },
    fieldsOf: pod => ({
      ...objectFields(pod),
      workloadId: workloadOfPod(pod) ?? null,
      nodeId: pod.spec?.nodeName ?? null,
      containers: containersOf(pod.spec),
      status: isJsonObject(pod.status) ? pod.status : null,
    }),
  });
}
