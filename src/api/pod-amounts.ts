import type { Container, PodSpec } from './kubernetes.ts';
import { addQuantities, compareQuantities, parseQuantity, QuantityError, zeroQuantity, type Quantity } from './quantity.ts';

export type Amounts = Map<string, Quantity>;

const podLevel = (name: string) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** What cannot be read counts as nothing: validation has refused it elsewhere. */
export function readQuantity(value: unknown): Quantity {
  if (value === undefined || value === null) return zeroQuantity;
  try {
    return parseQuantity(String(value));
  } catch (error) {
    if (error instanceof QuantityError) return zeroQuantity;
    throw error;
  }
}

export function readAmounts(list: Readonly<Record<string, unknown>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, value]) => [name, readQuantity(value)]));
}

export function addAmounts(into: Amounts, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, value] of more) {
    const present = into.get(name);
    into.set(name, present ? addQuantities(present, value) : value);
  }
}

function raiseTo(into: Amounts, least: ReadonlyMap<string, Quantity>): void {
  for (const [name, value] of least) {
    const present = into.get(name);
    if (!present || compareQuantities(value, present) > 0) into.set(name, value);
  }
}

/**
 * What a whole pod requests (or may use): its containers together with the sidecars, or what its init containers need one after the other,
 * whichever is more; amounts named for the pod itself win.
 */
export function podAmounts(spec: PodSpec, which: 'requests' | 'limits', { withOverhead }: { withOverhead: boolean }): Amounts {
  const of = (container: Container) => readAmounts(container.resources?.[which]);
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) addAmounts(total, of(container));
  const sidecars: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = of(container);
    if (container.restartPolicy === 'Always') {
      addAmounts(total, own);
      addAmounts(sidecars, own);
      raiseTo(starting, sidecars);
    } else {
      addAmounts(own, sidecars);
      raiseTo(starting, own);
    }
  }
  raiseTo(total, starting);
  for (const [name, value] of readAmounts(spec.resources?.[which])) if (podLevel(name)) total.set(name, value);
  if (withOverhead) addOverhead(total, readAmounts(spec.overhead), which);
  return total;
}

// A resource without a limit stays without one.
function addOverhead(total: Amounts, overhead: Amounts, which: 'requests' | 'limits'): void {
  const counted = [...overhead].filter(([name]) => which === 'requests' || (total.get(name)?.value ?? 0n) !== 0n);
  addAmounts(total, new Map(counted));
}

export function isBestEffort(spec: PodSpec): boolean {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const lists = [spec.resources, ...containers.map(c => c.resources)].flatMap(r => [r?.requests, r?.limits]);
  return !lists.some(list => [...readAmounts(list)].some(([name, value]) => (name === 'cpu' || name === 'memory') && value.value > 0n));
}
