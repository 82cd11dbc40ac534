import type { APIService, APIServiceCondition, APIServiceSpec, Service } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { workQueue, type Outcome } from '../../runtime/work-queue.ts';
import { httpsPools } from '../aggregation/https-pools.ts';
import { fetchRemote, type RemoteDeps } from '../aggregation/remote-server.ts';
import { serviceResolver, slicesOf } from '../aggregation/resolve-service.ts';
import type { Change, ClusterApi } from '../cluster-api.ts';
import { priorityOfGroup } from '../discovery.ts';
import { type ControllerOptions, type RunningController } from './running-controller.ts';
import { timestamp } from '../../util/timestamp.ts';

const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';
const probeEveryMs = 30_000;
const syncKey = '*';
const versionPriorities: Readonly<Record<string, number>> = {
  'v1.': 1,
  'v2.autoscaling': 30,
  'v1.flowcontrol.apiserver.k8s.io': 21,
  'v1.resource.k8s.io': 21,
};

interface Availability {
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

/** Keeps an APIService for every group version served here, and says of those served elsewhere whether they can be reached. */
export function apiServiceController(api: ClusterApi, options: ControllerOptions & Partial<RemoteDeps> = {}): RunningController {
  const now = options.now ?? (() => new Date());
  const remote: RemoteDeps = {
    pools: options.pools ?? httpsPools(),
    resolveService: options.resolveService ?? serviceResolver(api),
    ...(options.proxyClient && { proxyClient: options.proxyClient }),
  };
  let generation = options.isSettled ? api.catalog.generation : -1;
  const queue = workQueue({
    reconcile: name => (name === syncKey ? syncLocal() : syncStatus(name)),
    concurrency: 5,
    maxDelayMs: probeEveryMs,
    ...(options.onError && { onError: options.onError }),
  });
  const subscription = api.subscribe(observe);
  if (!options.isSettled) {
    queue.add(syncKey);
    for (const obj of api.peekAll(apiServices)) queue.add(obj.metadata.name ?? '');
  }

  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  function observe({ resource, namespace, name, obj, type }: Change): void {
    if (generation !== api.catalog.generation) queue.add(syncKey);
    if (resource.resource === 'apiservices' && resource.group === apiServices.group) {
      if (type !== 'DELETED') queue.add(name);
      if (type !== 'ADDED') queue.add(syncKey);
    } else if (resource.resource === 'services' && resource.group === '') probeService(namespace, name);
    else if (resource.resource === 'endpointslices') probeService(namespace, obj.metadata.labels?.['kubernetes.io/service-name'] ?? '');
    // The catalog follows a definition a moment after its change was heard.
    else if (resource.resource === 'customresourcedefinitions') queue.addAfter(syncKey, 100);
  }

  function probeService(namespace: string, name: string): void {
    for (const obj of api.peekAll(apiServices)) {
      const { service } = (obj as unknown as APIService).spec ?? {};
      if (service?.name === name && service.namespace === namespace) queue.add(obj.metadata.name ?? '');
    }
  }

  async function syncLocal(): Promise<void> {
    generation = api.catalog.generation;
    const wanted = localServices(api);
    for (const [name, service] of wanted) await ensureLocal(name, service);
    for (const obj of api.peekAll(apiServices)) {
      const { name = '', labels = {}, uid = '' } = obj.metadata;
      if (labels[managedLabel] !== 'true' || wanted.has(name)) continue;
      await api.delete(apiServices, { namespace: '', name }, { preconditions: { uid } }).catch(unless(404));
    }
  }

  async function ensureLocal(name: string, wanted: KubeObject): Promise<void> {
    const present = api.peek(apiServices, '', name);
    if (!present) return void (await api.create(apiServices, wanted, { fieldManager: 'kube-apiserver' }).catch(unless(409)));
    const label = present.metadata.labels?.[managedLabel];
    const spec = present['spec'] as APIServiceSpec;
    const target = wanted['spec'] as APIServiceSpec;
    const isSame =
      spec.groupPriorityMinimum === target.groupPriorityMinimum && spec.versionPriority === target.versionPriority && !spec.service;
    if (label === undefined || isSame) return;
    await api.update(apiServices, { ...present, spec: target }, { fieldManager: 'kube-apiserver' });
  }

  async function syncStatus(name: string): Promise<Outcome> {
    const obj = api.peek(apiServices, '', name);
    if (!obj) return;
    const { spec } = obj as unknown as APIService & { spec: APIServiceSpec };
    if (!spec.service) {
      await report(obj, { status: 'True', reason: 'Local', message: 'Local APIServices are always available' });
      return;
    }
    const found = await probe(api, remote, name, spec);
    await report(api.peek(apiServices, '', name) ?? obj, found);
    if (found.reason === 'FailedDiscoveryCheck') throw new Error(found.message);
    return { requeueAfterMs: probeEveryMs };
  }

  async function report(obj: KubeObject, found: Availability): Promise<void> {
    const status = (obj as unknown as APIService).status ?? {};
    const conditions: APIServiceCondition[] = status.conditions ?? [];
    const old = conditions.find(c => c.type === 'Available');
    if (old && old.status === found.status && old.reason === found.reason && old.message === found.message) return;
    const lastTransitionTime = old?.status === found.status && old.lastTransitionTime ? old.lastTransitionTime : timestamp(now());
    const next: APIServiceCondition = { type: 'Available', ...found, lastTransitionTime };
    const others = conditions.filter(c => c.type !== 'Available');
    const written = { ...obj, status: { ...status, conditions: [...others, next] } };
    await api.update(apiServices, written, { subresource: 'status', fieldManager: 'kube-apiserver' }).catch(unless(404));
  }
}

function localServices(api: ClusterApi): Map<string, KubeObject> {
  const wanted = new Map<string, KubeObject>();
  for (const { group, version, isCustom } of api.catalog.all()) {
    const name = `${version}.${group}`;
    if (group === 'apiregistration.k8s.io' || wanted.has(name)) continue;
    wanted.set(name, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name, labels: { [managedLabel]: isCustom ? 'true' : 'onstart' } },
      spec: {
        ...(group !== '' && { group }),
        version,
        groupPriorityMinimum: isCustom ? 1000 : priorityOfGroup(group),
        versionPriority: isCustom ? 100 : (versionPriorities[name] ?? (version.includes('beta') || version.includes('alpha') ? 9 : 15)),
      },
    });
  }
  return wanted;
}

async function probe(api: ClusterApi, remote: RemoteDeps, name: string, spec: APIServiceSpec): Promise<Availability> {
  const missing = serviceProblem(api, spec);
  if (missing) return missing;
  const path = name === 'v1.' ? `/api/${spec.version}` : `/apis/${spec.group}/${spec.version}`;
  let shown = path;
  try {
    const { name: service = '', namespace = '', port = 443 } = spec.service ?? {};
    const { host, port: targetPort } = await remote.resolveService({ name: service, namespace, port });
    shown = `https://${host}:${targetPort}${path}`;
    const { status } = await fetchRemote(remote, spec, path, '*/*', 5000);
    if (status >= 200 && status < 300) return { status: 'True', reason: 'Passed', message: 'all checks passed' };
    return failed(`failing or missing response from ${shown}: bad status from ${shown}: ${status}`);
  } catch (error) {
    if (error instanceof StatusError) return failed(error.message);
    return failed(`failing or missing response from ${shown}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const failed = (message: string): Availability => ({ status: 'False', reason: 'FailedDiscoveryCheck', message });

/** What the cluster itself knows to be wrong with the service. */
function serviceProblem(api: ClusterApi, { service }: APIServiceSpec): Availability | undefined {
  const { name = '', namespace = '', port = 443 } = service ?? {};
  const shown = `service/${name} in ${JSON.stringify(namespace)}`;
  const no = (reason: string, message: string): Availability => ({ status: 'False', reason, message });
  const found = api.peek({ group: '', resource: 'services' }, namespace, name) as unknown as Service | undefined;
  if (!found) return no('ServiceNotFound', `${shown} is not present`);
  if ((found.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const servicePort = found.spec?.ports?.find(p => p.port === port);
  if (!servicePort) return no('ServicePortError', `${shown} is not listening on port ${port}`);
  const slices = slicesOf(api, namespace, name);
  if (slices.length === 0) return no('EndpointsNotFound', `cannot find endpointslices for ${shown}`);
  const portName = servicePort.name ?? '';
  const isServed = slices.some(
    slice =>
      slice.endpoints?.some(e => e.conditions?.ready !== false) &&
      slice.ports?.some(p => (p.name ?? '') === portName && p.port !== undefined),
  );
  if (isServed) return undefined;
  return no('MissingEndpoints', `endpointslices for ${shown} have no addresses with port name ${JSON.stringify(portName)}`);
}

const unless = (code: number) => (error: unknown) => {
  if (!(error instanceof StatusError) || error.code !== code) throw error;
};
