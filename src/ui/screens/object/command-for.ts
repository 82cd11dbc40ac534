import { hub } from '../../data/kinds.ts';

/** The same with kubectl, through the hub. */
export function commandFor(cluster: string, words: string, namespace?: string): string {
  const rest = namespace === undefined ? words : `-n ${namespace} ${words}`;
  return cluster === hub ? `kubectl ${rest}` : `drover kubectl ${cluster} -- ${rest}`;
}
