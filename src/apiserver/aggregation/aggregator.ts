import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIService, APIServiceSpec } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import type { UserInfo } from '../../auth/user.ts';
import { workQueue } from '../../runtime/work-queue.ts';
import { jsonEqual, type JsonObject } from '../../util/json.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { httpsPools } from './https-pools.ts';
import { plainError, proxyRequest, proxyUpgrade, type ClientRequest, type ClientResponse } from './proxy-request.ts';
import { fetchDiscovery, fetchOpenApiPaths, fetchOpenApiV2 } from './remote-discovery.ts';
import type { RemoteDeps } from './remote-server.ts';
import { serviceResolver } from './resolve-service.ts';

const apiServices = { group: 'apiregistration.k8s.io', resource: 'apiservices' };
const refreshMs = 60_000;

export type AggregatorDeps = Partial<RemoteDeps>;

/** Carries requests for one group version to another server. */
export interface AggregatedProxy {
  handle(req: ClientRequest, res: ClientResponse, user: UserInfo): Promise<void>;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, user: UserInfo): Promise<void>;
}

/** One group version that another server serves, as discovery shows it. */
export interface RemoteGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  /** Stale when the server could not be asked lately: the last answer is shown, or none. */
  readonly freshness: 'Current' | 'Stale';
  /** Items of `resources` in apidiscovery.k8s.io/v2. */
  readonly resources: readonly JsonObject[];
  /** Entries for `/openapi/v3`: path to serverRelativeURL. A request for the document itself goes through `proxyFor`. */
  readonly openApiPaths: Readonly<Record<string, string>>;
  /** The whole OpenAPI v2 document of the server; only paths below the group version concern it. */
  readonly openApiV2: JsonObject | undefined;
}

export interface Aggregator extends Disposable {
  /** Undefined when this server serves the group version itself. */
  proxyFor(group: string, version: string): AggregatedProxy | undefined;
  discoveryItems(): readonly RemoteGroupVersion[];
  /** Grows whenever `discoveryItems` changes. */
  readonly generation: number;
  /** Resolves when everything known has been asked. */
  idle(): Promise<void>;
}

/** The proxy for a path below `/apis/<group>/<version>`. */
export function aggregatedProxyFor(aggregator: Pick<Aggregator, 'proxyFor'>, path: string): AggregatedProxy | undefined {
  const [, root, group, version] = path.split('/');
  return root === 'apis' && group !== undefined && version !== undefined ? aggregator.proxyFor(group, version) : undefined;
}

interface Entry {
  readonly spec: APIServiceSpec;
  readonly isAvailable: boolean;
  readonly proxy: AggregatedProxy;
}

type Findings = Pick<RemoteGroupVersion, 'freshness' | 'resources' | 'openApiPaths' | 'openApiV2'>;

const nothing: Findings = { freshness: 'Stale', resources: [], openApiPaths: {}, openApiV2: undefined };

/** Knows which group versions other servers serve, and speaks to them. */
export function aggregator(api: ClusterApi, deps: AggregatorDeps = {}): Aggregator {
  const remote: RemoteDeps = { pools: httpsPools(), resolveService: serviceResolver(api), ...deps };
  const entries = new Map<string, Entry>();
  const findings = new Map<string, Findings>();
  let generation = 1;
  let items: readonly RemoteGroupVersion[] | undefined;
  const queue = workQueue({ reconcile: discover, concurrency: 5, firstDelayMs: 500, maxDelayMs: refreshMs });
  const subscription = api.subscribe(({ resource, type, name, obj }) => {
    if (resource.resource !== apiServices.resource || resource.group !== apiServices.group) return;
    if (type === 'DELETED') forget(name);
    else remember(obj);
  });
  for (const obj of api.peekHaving?.(apiServices, ['service']) ?? api.peekAll(apiServices)) remember(obj);

  return {
    proxyFor: (group, version) => entries.get(`${version}.${group}`)?.proxy,
    discoveryItems: () => (items ??= listItems()),
    get generation() {
      return generation;
    },
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  function remember(obj: KubeObject): void {
    const { metadata, spec, status } = obj as unknown as APIService;
    const name = metadata?.name ?? '';
    if (!spec?.service) return forget(name);
    const isAvailable = status?.conditions?.some(c => c.type === 'Available' && c.status === 'True') === true;
    const before = entries.get(name);
    if (before && before.isAvailable === isAvailable && jsonEqual(before.spec, spec)) return;
    entries.set(name, { spec, isAvailable, proxy: proxyTo(spec, isAvailable) });
    touch();
    queue.add(name);
  }

  function forget(name: string): void {
    findings.delete(name);
    if (entries.delete(name)) touch();
  }

  function touch(): void {
    items = undefined;
    generation++;
  }

  function proxyTo(spec: APIServiceSpec, isAvailable: boolean): AggregatedProxy {
    return {
      handle: (req, res, user) =>
        isAvailable ? proxyRequest(remote, spec, req, res, user) : Promise.resolve(plainError(res, 503, 'service unavailable')),
      upgrade: (req, socket, head, user) => {
        if (isAvailable) return proxyUpgrade(remote, spec, req, socket, head, user);
        socket.end(
          'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\nservice unavailable\n',
        );
        return Promise.resolve();
      },
    };
  }

  function listItems(): RemoteGroupVersion[] {
    return [...entries].map(([name, { spec }]) => ({
      group: spec.group ?? '',
      version: spec.version ?? '',
      groupPriorityMinimum: spec.groupPriorityMinimum,
      versionPriority: spec.versionPriority,
      ...(findings.get(name) ?? nothing),
    }));
  }

  async function discover(name: string): Promise<{ requeueAfterMs: number } | void> {
    const entry = entries.get(name);
    if (!entry) return;
    const before = findings.get(name) ?? nothing;
    const next = await ask(entry, before);
    if (entries.get(name) === entry && !jsonEqual(before, next)) {
      findings.set(name, next);
      touch();
    }
    return { requeueAfterMs: refreshMs };
  }

  async function ask({ spec, isAvailable }: Entry, before: Findings): Promise<Findings> {
    if (!isAvailable) return { ...before, freshness: 'Stale' };
    try {
      const resources = await fetchDiscovery(remote, spec);
      const [openApiPaths, openApiV2] = await Promise.all([fetchOpenApiPaths(remote, spec), fetchOpenApiV2(remote, spec)]);
      return { freshness: 'Current', resources, openApiPaths, openApiV2 };
    } catch {
      // What cannot be asked is shown as it was, marked as such; the next look comes with the refresh.
      return { ...before, freshness: 'Stale' };
    }
  }
}
