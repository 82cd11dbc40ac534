import { Secret } from '../../../../api/builtin-kinds.ts';
import type { NormanType } from '../norman-type.ts';
import { objectFields } from './object-fields.ts';
import type { ProjectPlace } from './project-namespaces.ts';
import { projectType } from './project-type.ts';

/**
 * `/v3/project/<id>/namespacedsecrets`: that there are Secrets, and which keys they have. What is in them is read with kubectl, by those who
 * may: a view that also goes to browsers is no place for it.
 */
export function namespacedSecretType(place: ProjectPlace): NormanType {
  return projectType({
    id: 'namespacedSecret',
    plural: 'namespacedSecrets',
    place,
    kinds: [Secret],
    fields: { kind: { type: 'string' }, dataKeys: { type: 'array[string]' } },
    fieldsOf: secret => ({
      ...objectFields({ ...secret, metadata: { ...secret.metadata, annotations: {} } }),
      kind: secret.type ?? 'Opaque',
      dataKeys: Object.keys(secret.data ?? {}).sort(),
    }),
  });
}

/** `/v3/project/<id>/secrets`: Secrets of a whole project, which there are none of here; those of its namespaces are namespaced ones. */
export function secretType(place: ProjectPlace): NormanType {
  return projectType({ id: 'secret', plural: 'secrets', place, kinds: [], fields: { kind: { type: 'string' } }, fieldsOf: () => ({}) });
}
