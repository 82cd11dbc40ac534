import type { KubeObject } from '../../api/object.ts';
import { isJsonObject } from '../../util/json.ts';

/** Lists as the objects that they hold; typed lists, such as a ConfigMapList, leave out the type of their items. */
export function unfoldLists(objects: readonly KubeObject[]): KubeObject[] {
  return objects.flatMap(obj => (isList(obj) ? unfoldLists(itemsOf(obj)) : [obj]));
}

type Item = Partial<Pick<KubeObject, 'apiVersion' | 'kind'>> & Omit<KubeObject, 'apiVersion' | 'kind'>;
type List = KubeObject & { items: Item[] };

export function isList(obj: KubeObject): obj is List {
  return obj.kind.endsWith('List') && Array.isArray(obj['items']) && obj.metadata?.name === undefined;
}

export function itemsOf({ apiVersion, kind, items }: List): KubeObject[] {
  const itemKind = kind.slice(0, -'List'.length);
  return items.map(item => (itemKind === '' || !isJsonObject(item) ? item : { apiVersion, kind: itemKind, ...item }) as KubeObject);
}
