import { invalid } from '../../../api/field-error.ts';
import type { ServiceSpec } from '../../../api/kubernetes.ts';
import { internalServerError, invalidObject, plainError } from '../../../api/status.ts';
import type { Allocation } from './service-addresses.ts';
import { needsHealthCheckPort, nodePortsOf, shouldAllocateNodePorts, usesNodePorts } from './service-parts.ts';

/** Node ports taken in one write. The same one cannot be taken twice, nor one that another service has. */
class PortBatch {
  readonly #taken = new Set<number>();
  readonly #allocation: Allocation;

  constructor(allocation: Allocation) {
    this.#allocation = allocation;
  }

  take(port: number): string | undefined {
    const { network, owner } = this.#allocation;
    const problem = this.#taken.has(port) ? 'provided port is already allocated' : network.portProblem(port, owner);
    if (problem === undefined) this.#taken.add(port);
    return problem;
  }

  next(): number {
    const { network, owner, dryRun } = this.#allocation;
    // A dry run names a port that cannot be one, so that nobody relies on it.
    const port = dryRun
      ? this.#taken.size === 0
        ? 32769
        : Math.max(...this.#taken) + 1
      : network.nextPort(owner, p => this.#taken.has(p));
    if (port === undefined) throw internalServerError('failed to allocate a nodePort: range is full');
    this.#taken.add(port);
    return port;
  }
}

export function allocateNodePorts(spec: ServiceSpec, old: ServiceSpec | undefined, allocation: Allocation): void {
  const batch = new PortBatch(allocation);
  if (usesNodePorts(spec)) {
    if (old) updatePorts(spec, old, batch, allocation.name);
    else initPorts(spec, batch, allocation.name);
  }
  if (needsHealthCheckPort(spec) && !(old && needsHealthCheckPort(old))) allocateHealthCheckPort(spec, batch);
}

const refusePort = (name: string, index: number, port: number, problem: string) =>
  invalidObject({ group: '', kind: 'Service' }, name, [invalid(`spec.ports[${index}].nodePort`, port, problem)]);

// Ports of one number and different protocols share a node port.
function initPorts(spec: ServiceSpec, batch: PortBatch, name: string): void {
  const chosen = new Map<number, number>();
  const ports = spec.ports ?? [];
  for (const [i, port] of ports.entries()) {
    const wanted = port.nodePort ?? 0;
    if (wanted === 0 && !shouldAllocateNodePorts(spec)) continue;
    const shared = chosen.get(port.port);
    if (shared === undefined) {
      const requested = ports.find(other => other.port === port.port && other.nodePort)?.nodePort ?? 0;
      const problem = requested === 0 ? undefined : batch.take(requested);
      if (problem !== undefined) throw refusePort(name, i, requested, problem);
      port.nodePort = requested === 0 ? batch.next() : requested;
      chosen.set(port.port, port.nodePort);
    } else if (wanted === 0) port.nodePort = shared;
    else if (wanted !== shared) {
      const problem = batch.take(wanted);
      if (problem !== undefined) throw refusePort(name, i, wanted, problem);
    }
  }
}

function updatePorts(spec: ServiceSpec, old: ServiceSpec, batch: PortBatch, name: string): void {
  const before = new Set(usesNodePorts(old) ? nodePortsOf(old) : []);
  const allocated = new Set<number>();
  const seen = new Set<string>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    const wanted = port.nodePort ?? 0;
    if (wanted === 0 && !shouldAllocateNodePorts(spec)) continue;
    if (wanted === 0) port.nodePort = batch.next();
    else if (!before.has(wanted) && !allocated.has(wanted)) {
      const problem = batch.take(wanted);
      if (problem !== undefined) throw refusePort(name, i, wanted, problem);
      allocated.add(wanted);
    }
    const identity = `${port.protocol} ${port.nodePort}`;
    if (seen.has(identity)) throw plainError(`duplicate nodePort: {${identity}}`);
    seen.add(identity);
  }
}

function allocateHealthCheckPort(spec: ServiceSpec, batch: PortBatch): void {
  const wanted = spec.healthCheckNodePort ?? 0;
  if (wanted === 0) {
    spec.healthCheckNodePort = batch.next();
    return;
  }
  const problem = batch.take(wanted);
  if (problem !== undefined) throw internalServerError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${problem}`);
}
