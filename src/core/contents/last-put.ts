import type { Content } from '../../api/content.ts';

/** On a Content that was stored once more while it was there: when that was. */
export const putAnnotation = 'drover.io/put-at';

/** When somebody last stored these bytes. Whoever collects Contents goes by this and not by their creation: the one who stored them may be about to name them. */
export function lastPut({ metadata }: Content): Date {
  const put = Date.parse(metadata.annotations?.[putAnnotation] ?? '');
  const created = Date.parse(metadata.creationTimestamp ?? '');
  return new Date(Math.max(Number.isNaN(put) ? 0 : put, Number.isNaN(created) ? 0 : created));
}
