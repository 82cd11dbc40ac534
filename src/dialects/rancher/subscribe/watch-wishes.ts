import type { SteveApi } from '../v1/steve-api.ts';
import type { SteveType } from '../v1/steve-type.ts';
import { knownPlaces } from '../v1/steve-visible.ts';
import type { SteveSubscription } from './steve-subscription.ts';
import type { WatchWish } from './watch-type.ts';

/** Who has rights in single places is watched for in each of them. */
const mostPlaces = 32;

/** What must be watched so that the caller hears of all he may see: everything at once, or one place after the other. */
export async function wishesOf(
  { rights }: SteveApi,
  type: SteveType,
  { namespace, id, selector, resourceVersion }: SteveSubscription,
): Promise<WatchWish[]> {
  const [name = ''] = id.split('/').slice(-1);
  const place = namespace === '' && id.includes('/') ? id.slice(0, id.indexOf('/')) : namespace;
  const base: WatchWish = {
    ...(selector !== '' && { labelSelector: selector }),
    ...(resourceVersion !== '' && { resourceVersion }),
    ...(name !== '' && { name }),
    ...(place !== '' && { namespace: place }),
  };
  const reach = await rights.reach('watch', type, place);
  if (reach.isEverything || name !== '') return [base];
  if (type.scope === 'Cluster' || place !== '') {
    const names = [...reach.names].slice(0, mostPlaces);
    return names.length === 0 ? [base] : names.map(one => ({ ...base, name: one }));
  }
  const places = (await knownPlaces(rights)).slice(0, mostPlaces);
  const reaches = await Promise.all(places.map(one => rights.reach('watch', type, one)));
  const open = places.filter((_, i) => reaches[i]!.isEverything);
  return open.length === 0 ? [base] : open.map(one => ({ ...base, namespace: one }));
}

/** Whether the caller may watch all of it, as far as rules tell. */
export async function isCovered({ rights }: SteveApi, type: SteveType, wishes: readonly WatchWish[]): Promise<boolean> {
  const reaches = await Promise.all(wishes.map(({ namespace = '' }) => rights.reach('watch', type, namespace)));
  return reaches.every((reach, i) => reach.covers(wishes[i]!.name ?? ''));
}
