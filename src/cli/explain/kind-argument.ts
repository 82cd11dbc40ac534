import type { ApiResource } from '../../client/api-resources.ts';
import { findResource } from '../resources/find-resource.ts';
import { UnknownTypeError } from '../resources/resource-arguments.ts';

export interface NamedField {
  readonly resource: ApiResource;
  readonly path: readonly string[];
}

/** `pods.spec.containers`, `deployments.apps.spec` or `cluster.cluster.karmada.io.spec`: a type as far as it is one, and behind it fields. */
export function parseKindArgument(all: readonly ApiResource[], argument: string): NamedField {
  const words = argument.split('.');
  for (let count = words.length; count > 0; count--) {
    const resource = findResource(all, words.slice(0, count).join('.'));
    const group = words.slice(1, count).join('.');
    if (resource && (count === 1 || group === resource.group || group === `${resource.version}.${resource.group}`))
      return {
        resource,
        path: words
          .slice(count)
          .map(withoutIndex)
          .filter(word => word !== ''),
      };
  }
  throw new UnknownTypeError(words[0]!);
}

/** People write `containers[*]` and `containers[0]` too. */
const withoutIndex = (word: string): string => word.replace(/\[[^\]]*\]$/, '');
