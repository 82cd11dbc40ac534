import type { KindRef } from '../../../../api/define-kind.ts';
import { isPathSegmentName } from '../../../../api/names.ts';
import type { KubeObject } from '../../../../api/object.ts';
import type { JsonObject } from '../../../../util/json.ts';
import { mapBounded } from '../../../../util/map-bounded.ts';
import { idOf } from '../kind-store.ts';
import { noGrants, type Entry, type Fields, type NormanType } from '../norman-type.ts';
import { commonFields, stateFields } from '../resource-shape.ts';
import type { NormanContext } from '../norman-context.ts';
import { getVisible } from './get-visible.ts';
import type { ProjectPlace } from './project-namespaces.ts';

/** What is shown of a project and changed elsewhere: with kubectl, or by what made it. */
export interface ProjectTypeOptions<T extends KubeObject> {
  readonly id: string;
  readonly plural: string;
  readonly fields: Fields;
  readonly place: ProjectPlace;
  /** Ids begin with the kind, in lower case, where there are several. */
  readonly kinds: readonly KindRef<T>[];
  fieldsOf(obj: T): JsonObject;
  /** Default: all are. */
  isShown?(obj: T): boolean;
  /** What one says it is, when that is more special than its type. */
  typeOf?(obj: T): string;
}

const atATime = 4;

export function projectType<T extends KubeObject>(options: ProjectTypeOptions<T>): NormanType {
  const { id, plural, fields, place, kinds, fieldsOf, isShown = () => true, typeOf } = options;
  const idIn = (obj: KubeObject, kind: KindRef) => (kinds.length > 1 ? `${kind.kind.toLowerCase()}:` : '') + idOf(obj);
  return {
    id,
    plural,
    fields: {
      ...commonFields,
      ...stateFields,
      namespaceId: { type: 'reference[namespace]' },
      projectId: { type: 'reference[project]' },
      ...fields,
    },
    collectionMethods: ['GET'],
    resourceMethods: ['GET'],
    follows: { kinds, idOf: idIn },
    store: {
      async list(ctx) {
        const found = await mapBounded(kinds, atATime, async kind => (await place.list(ctx, kind)).flatMap(obj => entriesOf(obj, kind)));
        return found.flat();
      },
      get,
    },
  };

  async function get(ctx: NormanContext, wanted: string): Promise<Entry | undefined> {
    const [name = '', namespace = '', ...more] = wanted.split(':').reverse();
    const kind = kinds.find(one => idIn({ metadata: { namespace, name } } as KubeObject, one) === wanted);
    if (!kind || more.length > 1 || [namespace, name].some(part => part === '' || isPathSegmentName(part).length > 0)) return undefined;
    if (!(await place.namespaces(ctx)).includes(namespace)) return undefined;
    const obj = await getVisible(ctx.hub, kind, { namespace, name }, ctx.signal);
    return obj && entriesOf(obj, kind)[0];
  }

  function entriesOf(obj: T, kind: KindRef): Entry[] {
    if (!isShown(obj)) return [];
    const fields = () => ({ ...fieldsOf(obj), projectId: place.projectId });
    return [{ id: idIn(obj, kind), fields, grants: () => noGrants, ...(typeOf && { type: typeOf(obj) }) }];
  }
}
