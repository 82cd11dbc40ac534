import { randomInt } from 'node:crypto';
import type { KubeObject } from '../../../api/object.ts';
import type { Service } from '../../../api/kubernetes.ts';
import type { ClusterApi } from '../../cluster-api.ts';
import { addToIp, cidrContains, ipToNumber, networkOf, parseCidr, parseIp, printIp, type Cidr } from '../../validation/ip.ts';

export interface ServiceNetworkOptions {
  /** Where cluster addresses come from. */
  readonly cidr: string;
  /** First and last node port. */
  readonly nodePorts: readonly [first: number, last: number];
}

const defaultServiceNetwork: ServiceNetworkOptions = { cidr: '10.0.0.0/16', nodePorts: [30000, 32767] };

const services = { group: '', resource: 'services' };
const reservationMs = 30_000;

/**
 * Cluster addresses and node ports in use. Seeded from the committed services and kept up to date by their changes. A value given
 * out is reserved for half a minute, so that two writes on their way to the store never get the same one.
 */
export class ServiceNetwork {
  readonly options: ServiceNetworkOptions;
  readonly #range: Cidr;
  readonly #addresses = new Map<string, string>();
  readonly #ports = new Map<number, string>();
  readonly #reserved = new Map<string | number, { owner: string; until: number }>();

  constructor(api: ClusterApi, options: ServiceNetworkOptions = defaultServiceNetwork) {
    const range = parseCidr(options.cidr);
    if (!range) throw new Error(`service network "${options.cidr}" is not a range of addresses`);
    this.options = options;
    this.#range = range;
    for (const service of api.peekAll(services)) this.#take(service);
    api.subscribe(change => {
      if (change.resource.resource !== 'services' || change.resource.group !== '') return;
      if (change.old) this.#release(change.old);
      if (change.type === 'DELETED') this.#release(change.obj);
      else this.#take(change.obj);
    });
  }

  get networkAddress(): string {
    return printIp(networkOf(this.#range));
  }

  #take(obj: KubeObject): void {
    const owner = ownerOf(obj);
    for (const address of addressesOf(obj)) this.#addresses.set(address, owner);
    for (const port of portsOf(obj)) this.#ports.set(port, owner);
  }

  #release(obj: KubeObject): void {
    const owner = ownerOf(obj);
    for (const address of addressesOf(obj)) if (this.#addresses.get(address) === owner) this.#addresses.delete(address);
    for (const port of portsOf(obj)) if (this.#ports.get(port) === owner) this.#ports.delete(port);
  }

  #isReserved(value: string | number, owner: string): boolean {
    const reservation = this.#reserved.get(value);
    if (reservation === undefined) return false;
    if (reservation.until > Date.now()) return reservation.owner !== owner;
    this.#reserved.delete(value);
    return false;
  }

  #reserve<T extends string | number>(value: T, owner: string): T {
    if (this.#reserved.size > 1000) for (const key of this.#reserved.keys()) this.#isReserved(key, owner);
    this.#reserved.set(value, { owner, until: Date.now() + reservationMs });
    return value;
  }

  /** Why an address cannot be had by a service, or undefined when it can. */
  addressProblem(address: string, owner: string): string | undefined {
    const ip = parseIp(address);
    if (!ip || !cidrContains(this.#range, ip)) return 'the provided network does not match the current range';
    const offset = ipToNumber(ip) - ipToNumber(networkOf(this.#range));
    if (offset < 1n || offset > this.#size())
      return `the provided IP (${printIp(ip)}) is not in the valid range. The range of valid IPs is ${this.options.cidr}`;
    const holder = this.#addresses.get(printIp(ip));
    return (holder !== undefined && holder !== owner) || this.#isReserved(printIp(ip), owner)
      ? 'provided IP is already allocated'
      : undefined;
  }

  portProblem(port: number, owner: string): string | undefined {
    const [first, last] = this.options.nodePorts;
    if (port < first || port > last) return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    const holder = this.#ports.get(port);
    return (holder !== undefined && holder !== owner) || this.#isReserved(port, owner) ? 'provided port is already allocated' : undefined;
  }

  /** Usable addresses: all but the first and, with IPv4, the last. */
  #size(): bigint {
    const bits = BigInt(this.#range.address.bytes.length * 8 - this.#range.prefixLength);
    return 2n ** bits - (this.#range.address.bytes.length === 4 ? 2n : 1n);
  }

  /** A free address, from the upper part of the range first: the lower part is left to those who ask for a particular one. */
  nextAddress(owner: string): string | undefined {
    const size = Number(this.#size() > 2n ** 31n ? 2n ** 31n : this.#size());
    const base = networkOf(this.#range);
    const addressAt = (offset: number) => printIp(addToIp(base, BigInt(offset) + 1n));
    const offset = pick(size, Math.min(Math.max(16, Math.floor(size / 16)), 256), i => {
      const address = addressAt(i);
      return !this.#addresses.has(address) && !this.#isReserved(address, '');
    });
    return offset === undefined ? undefined : this.#reserve(addressAt(offset), owner);
  }

  nextPort(owner: string, isTaken: (port: number) => boolean): number | undefined {
    const [first, last] = this.options.nodePorts;
    const size = last - first + 1;
    const offset = pick(size, Math.min(Math.max(16, Math.floor(size / 32)), 128), i => {
      const port = first + i;
      return !this.#ports.has(port) && !this.#isReserved(port, '') && !isTaken(port);
    });
    return offset === undefined ? undefined : this.#reserve(first + offset, owner);
  }
}

function pick(size: number, lower: number, isFree: (offset: number) => boolean): number | undefined {
  const split = lower < size ? lower : 0;
  for (const [from, to] of [
    [split, size],
    [0, split],
  ] as const) {
    const width = to - from;
    if (width <= 0) continue;
    const start = randomInt(width);
    for (let i = 0; i < width; i++) {
      const offset = from + ((start + i) % width);
      if (isFree(offset)) return offset;
    }
  }
  return undefined;
}

/** The uid, because a generated name comes late. */
export const ownerOf = (obj: KubeObject) => obj.metadata.uid ?? `${obj.metadata.namespace ?? ''}/${obj.metadata.name ?? ''}`;

/** Cluster addresses a service holds; none when it is headless or only a name. */
export function addressesOf(obj: KubeObject): string[] {
  const { spec } = obj as unknown as Service;
  if (spec?.type === 'ExternalName') return [];
  return (spec?.clusterIPs ?? []).filter(address => address !== '' && address !== 'None');
}

function portsOf(obj: KubeObject): number[] {
  const { spec } = obj as unknown as Service;
  const ports = (spec?.ports ?? []).map(port => port.nodePort ?? 0);
  return [...ports, spec?.healthCheckNodePort ?? 0].filter(port => port !== 0);
}

const networks = new WeakMap<ClusterApi, ServiceNetwork>();

/** The network of one server. Options count only for the call that comes first; the server makes it before it serves. */
export function serviceNetworkOf(api: ClusterApi, options?: ServiceNetworkOptions): ServiceNetwork {
  let network = networks.get(api);
  if (!network) networks.set(api, (network = new ServiceNetwork(api, options)));
  return network;
}
