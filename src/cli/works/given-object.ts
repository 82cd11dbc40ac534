import type { KindRef } from '../../api/define-kind.ts';
import { parseApiVersion } from '../../api/object.ts';
import { usageError } from '../exit-codes.ts';
import type { GivenObject } from '../resources/given-objects.ts';

export const isOfKind = ({ object }: GivenObject, { kind, group }: KindRef): boolean =>
  object.kind === kind && parseApiVersion(object.apiVersion).group === group;

/** The object of a kind and name among those of files. Throws with what the files have instead. */
export function givenObject(given: readonly GivenObject[], kind: KindRef, name: string): GivenObject {
  const found = given.filter(one => isOfKind(one, kind));
  const wanted = found.find(({ object }) => object.metadata.name === name);
  if (wanted) return wanted;
  const places = [...new Set(given.map(({ from }) => from))];
  const where = places.length === 1 ? `${places[0]} has` : 'the files have';
  const others = found.map(({ object }) => JSON.stringify(object.metadata.name ?? '')).slice(0, 3);
  throw usageError(
    `${where} no ${kind.kind.toLowerCase()} ${JSON.stringify(name)}`,
    others.length === 0 ? `one of them must be a ${kind.kind}` : `there are ${others.join(', ')}`,
  );
}
