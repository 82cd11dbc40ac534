import { compilePattern } from './pattern.ts';
import type { Gvk } from './res-id.ts';

/** Which resources are meant. Names and kinds are patterns that must match the whole. */
export interface Selector {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly annotationSelector?: string;
  readonly labelSelector?: string;
}

export interface CompiledSelector {
  gvk(gvk: Gvk): boolean;
  name(name: string): boolean;
  namespace(namespace: string): boolean;
}

export function compileSelector({ group, version, kind, name, namespace }: Selector): CompiledSelector {
  const [byGroup, byVersion, byKind] = [whole(group), whole(version), whole(kind)];
  return {
    gvk: gvk => byGroup(gvk.group) && byVersion(gvk.version) && byKind(gvk.kind),
    name: whole(name),
    namespace: whole(namespace),
  };
}

/** An empty pattern fits all. */
function whole(pattern = ''): (text: string) => boolean {
  return pattern === '' ? () => true : compilePattern(`^(?:${pattern})$`);
}
