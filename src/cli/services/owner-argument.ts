import type { Kind } from '../../api/define-kind.ts';
import { ownerKinds, type OwnerKind } from '../../dialects/k0rdent/previews/owners.ts';
import { usageError } from '../exit-codes.ts';

export interface NamedOwner {
  readonly kind: OwnerKind;
  readonly name: string;
}

interface DefinedNames {
  readonly singular: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
}

function namesOf(kind: Kind): string[] {
  const { names } = kind.definition()['spec'] as unknown as { names: DefinedNames };
  const long = [names.singular, names.plural];
  return [...long, ...(names.shortNames ?? []), ...long.map(name => `${name}.${kind.group}`)];
}

const kindOf = (type: string): OwnerKind | undefined => ownerKinds.find(one => namesOf(one).includes(type.toLowerCase()));

/** How people call the kinds. */
export const ownerTypes = ['mcs', 'nmcs', 'cld', 'serviceset'] as const;

export const isOwnerType = (type: string): boolean => kindOf(type) !== undefined;

/** Who is meant by `mcs/NAME` or `mcs NAME`. Undefined when the type is none that owns services. */
export function parseOwner(words: readonly string[]): NamedOwner | undefined {
  const [first = '', ...others] = words;
  const [type = '', ...names] = first.split('/');
  const kind = kindOf(type);
  if (!kind) return undefined;
  const [name = '', ...rest] = names.length > 0 ? [...names, ...others] : others;
  if (name === '') throw usageError(`which ${kind.kind} is meant is not said`, `write ${type}/NAME`);
  if (rest.length > 0) throw usageError(`one ${kind.kind} at a time: ${JSON.stringify(rest[0])} is one word too many`);
  return { kind, name };
}
