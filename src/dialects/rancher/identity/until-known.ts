import type { KubeObject } from '../../../api/object.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';

const patienceMs = 5000;

/** Waits until an informer has heard what was just written, so that whoever is answered finds it. Not for ever: what was written holds anyway. */
export async function untilKnown<T extends KubeObject>(
  informer: Pick<Informer<T>, 'get' | 'subscribe'>,
  key: Key,
  isKnown: (obj: T | undefined) => boolean,
): Promise<void> {
  if (isKnown(informer.get(key))) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patienceMs);
  using _listening = informer.subscribe(() => {
    if (isKnown(informer.get(key))) resolve();
  });
  await promise;
  clearTimeout(timer);
}
