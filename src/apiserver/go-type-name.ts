import type { Resource } from './resource.ts';

/** The name Go prints for the type in which the real server keeps objects of a kind, or a list of them. */
export function internalTypeName(
  { group, kind, isCustom }: Pick<Resource, 'group' | 'kind' | 'isCustom'>,
  suffix: '' | 'List' = '',
): string {
  if (isCustom) return `unstructured.Unstructured${suffix}`;
  return `${internalPackage(group, kind)}.${kind}${suffix}`;
}

/** The Go package of an internal type: most are called like the first word of their group. */
export function internalPackage(group: string, kind: string): string {
  if (group === '' || (group === 'events.k8s.io' && kind === 'Event')) return 'core';
  if (group === 'internal.apiserver.k8s.io') return 'apiserverinternal';
  return group.split('.', 1)[0]!;
}
