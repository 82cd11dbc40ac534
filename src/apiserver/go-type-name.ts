import type { Resource } from './resource.ts';

/** Go packages of internal types that are not called like the first word of their group. */
const packages: Readonly<Record<string, string>> = { '': 'core', 'events.k8s.io': 'core' };

/** The name Go prints for the type in which the real server keeps objects of a kind, or a list of them. */
export function internalTypeName(
  { group, kind, isCustom }: Pick<Resource, 'group' | 'kind' | 'isCustom'>,
  suffix: '' | 'List' = '',
): string {
  if (isCustom) return `unstructured.Unstructured${suffix}`;
  return `${internalPackage(group)}.${kind}${suffix}`;
}

export function internalPackage(group: string): string {
  return packages[group] ?? group.split('.', 1)[0]!;
}
