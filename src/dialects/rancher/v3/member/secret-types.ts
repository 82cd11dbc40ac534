import { Secret } from '../../../../api/builtin-kinds.ts';
import type { NormanType } from '../norman-type.ts';
import { objectFields } from './object-fields.ts';
import type { ProjectPlace } from './project-namespaces.ts';
import { entryOf, idOf, projectType } from './project-type.ts';

/**
 * `/v3/project/<id>/namespacedsecrets`: that there are Secrets, and which keys they have. What is in them is read with kubectl, by those who
 * may: a view that also goes to browsers is no place for it.
 */
export function namespacedSecretType({ projectId, list }: ProjectPlace): NormanType {
  return projectType({
    id: 'namespacedSecret',
    plural: 'namespacedSecrets',
    fields: { kind: { type: 'string' }, dataKeys: { type: 'array[string]' } },
    list: async ctx =>
      (await list(ctx, Secret)).map(secret =>
        entryOf(idOf(secret), () => ({
          ...objectFields({ ...secret, metadata: { ...secret.metadata, annotations: {} } }),
          projectId,
          kind: secret.type ?? 'Opaque',
          dataKeys: Object.keys(secret.data ?? {}).sort(),
        })),
      ),
  });
}

/** `/v3/project/<id>/secrets`: Secrets of a whole project, which there are none of here; those of its namespaces are namespaced ones. */
export function secretType(_place: ProjectPlace): NormanType {
  return projectType({ id: 'secret', plural: 'secrets', fields: { kind: { type: 'string' } }, list: async () => [] });
}
