import { at, invalid, required, type FieldError } from '../../../api/field-error.ts';
import { compareQuantities, parseQuantity, signOfQuantity } from '../../../api/quantity.ts';
import type { Project } from '../kinds/project.ts';

type Limits = Readonly<Record<string, unknown>>;
type Amounts = ReadonlyMap<string, string>;

const spec = 'spec';
const quotaField = at.child(spec, 'resourceQuota', 'limit');
const defaultField = at.child(spec, 'namespaceDefaultResourceQuota', 'limit');
const containerField = at.child(spec, 'containerDefaultResourceLimit');

/** Quotas of a project must fit each other: what one namespace gets by default is part of what all get together, and none is below what is used. */
export function quotaFaults({ spec }: Pick<Project, 'spec'>, old?: Pick<Project, 'spec'>): FieldError[] {
  const { resourceQuota, namespaceDefaultResourceQuota, containerDefaultResourceLimit } = spec;
  const [limit, used] = [amountsOf(resourceQuota?.limit), amountsOf(resourceQuota?.usedLimit ?? old?.spec.resourceQuota?.usedLimit)];
  const byDefault = amountsOf(namespaceDefaultResourceQuota?.limit);
  const container = amountsOf(containerDefaultResourceLimit);
  const malformed = [
    ...amountFaults(limit, quotaField),
    ...amountFaults(byDefault, defaultField),
    ...amountFaults(container, containerField),
  ];
  if (malformed.length > 0) return malformed;
  return [
    ...[...limit.keys()]
      .filter(name => !byDefault.has(name))
      .map(name => required(at.child(defaultField, name), 'every quota of the project needs one')),
    ...[...byDefault.keys()]
      .filter(name => !limit.has(name))
      .map(name => required(at.child(quotaField, name), 'every default needs a quota of the project')),
    ...aboveFaults(byDefault, limit, { field: defaultField, why: 'it is more than the project has' }),
    ...aboveFaults(used, limit, { field: quotaField, why: 'namespaces use more already' }),
    ...['Cpu', 'Memory'].flatMap(name => containerFaults(container, name)),
  ];
}

function amountsOf(limits: Limits | undefined): Amounts {
  const { extended, ...named } = limits ?? {};
  const entries = Object.entries({ ...named, ...(extended as Limits | undefined) });
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''));
}

function amountFaults(amounts: Amounts, field: string): FieldError[] {
  return [...amounts].flatMap(([name, text]) =>
    isAmount(text) ? [] : [invalid(at.child(field, name), text, 'must be an amount, and not be below 0')],
  );
}

function isAmount(text: string): boolean {
  try {
    return signOfQuantity(parseQuantity(text)) >= 0;
  } catch {
    return false;
  }
}

function isAbove(a: string, b: string): boolean {
  return isAmount(a) && isAmount(b) && compareQuantities(parseQuantity(a), parseQuantity(b)) > 0;
}

function aboveFaults(low: Amounts, high: Amounts, { field, why }: { field: string; why: string }): FieldError[] {
  return [...low].flatMap(([name, text]) =>
    high.has(name) && isAbove(text, high.get(name)!) ? [invalid(at.child(field, name), text, why)] : [],
  );
}

function containerFaults(amounts: Amounts, name: string): FieldError[] {
  const [request, limit] = [amounts.get(`requests${name}`), amounts.get(`limits${name}`)];
  if (request === undefined || limit === undefined || !isAbove(request, limit)) return [];
  return [invalid(at.child(containerField, `requests${name}`), request, `it is more than limits${name}`)];
}
