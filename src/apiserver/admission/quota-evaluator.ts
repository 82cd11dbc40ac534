import type { GroupResource, KubeObject } from '../../api/object.ts';
import type { PersistentVolumeClaim, Pod, PodAffinityTerm, PodSpec, ResourceQuota, Service } from '../../api/kubernetes.ts';
import type { AdmissionRequest } from './admission.ts';
import { compareQuantities, quantityOf } from '../../api/quantity.ts';
import { addAmounts, isBestEffort, podAmounts, readAmounts, readQuantity, type Amounts } from '../../api/pod-amounts.ts';

export interface ScopeRequirement {
  scopeName: string;
  operator: string;
  values?: string[];
}

/** How objects of one resource count against quotas. */
export interface QuotaEvaluator {
  handles(request: AdmissionRequest): boolean;
  /** Of these names, those that this resource counts towards. */
  concerned(names: readonly string[]): string[];
  matchesScope(scope: ScopeRequirement, obj: KubeObject): boolean;
  usage(obj: KubeObject, now: Date): Amounts;
  /** What an object must say to be counted. */
  problem?(names: readonly string[], obj: KubeObject): string | undefined;
}

const one = quantityOf(1);
const aliases: Readonly<Record<string, string>> = {
  configmaps: 'configmaps',
  resourcequotas: 'resourcequotas',
  replicationcontrollers: 'replicationcontrollers',
  secrets: 'secrets',
};
const countName = (gr: GroupResource) => (gr.group === '' ? `count/${gr.resource}` : `count/${gr.resource}.${gr.group}`);

const evaluators = new Map<string, QuotaEvaluator>();

export function evaluatorFor(gr: GroupResource): QuotaEvaluator {
  const key = `${gr.group}/${gr.resource}`;
  let found = evaluators.get(key);
  if (!found) evaluators.set(key, (found = special[key] ?? objectCount(gr)));
  return found;
}

export function scopesOf({ spec }: ResourceQuota): ScopeRequirement[] {
  const plain = (spec?.scopes ?? []).map(scopeName => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...((spec?.scopeSelector?.matchExpressions ?? []) as ScopeRequirement[])];
}

function objectCount(gr: GroupResource): QuotaEvaluator {
  const alias = gr.group === '' ? aliases[gr.resource] : undefined;
  const names = alias === undefined ? [countName(gr)] : [countName(gr), alias];
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    concerned: wanted => wanted.filter(name => names.includes(name)),
    matchesScope: () => false,
    usage: () => new Map(names.map(name => [name, one])),
  };
}

const serviceNames = ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'];
const services: QuotaEvaluator = {
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  concerned: wanted => wanted.filter(name => serviceNames.includes(name)),
  matchesScope: () => false,
  usage: obj => {
    const { spec } = obj as unknown as Service;
    const ports = spec?.ports ?? [];
    const isBalanced = spec?.type === 'LoadBalancer';
    const takesAll = spec?.type === 'NodePort' || (isBalanced && spec?.allocateLoadBalancerNodePorts !== false);
    const nodePorts = takesAll ? ports.length : isBalanced ? ports.filter(port => port.nodePort).length : 0;
    return new Map([
      ['count/services', one],
      ['services', one],
      ['services.loadbalancers', quantityOf(isBalanced ? 1 : 0)],
      ['services.nodeports', quantityOf(nodePorts)],
    ]);
  },
};

const classSuffix = '.storageclass.storage.k8s.io/';
const claims: QuotaEvaluator = {
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  concerned: wanted =>
    wanted.filter(name =>
      /^(count\/persistentvolumeclaims|persistentvolumeclaims|requests\.storage)$|\.storageclass\.storage\.k8s\.io\/(persistentvolumeclaims|requests\.storage)$/.test(
        name,
      ),
    ),
  matchesScope: ({ scopeName, operator, values = [] }, obj) => {
    if (scopeName !== 'VolumeAttributesClass') return false;
    const { spec, status } = obj as unknown as PersistentVolumeClaim;
    const names = [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName].filter(name => name);
    return nameMatches(operator, values, names as string[]);
  },
  usage: obj => {
    const { metadata, spec, status } = obj as unknown as PersistentVolumeClaim;
    const result: Amounts = new Map([
      ['persistentvolumeclaims', one],
      ['count/persistentvolumeclaims', one],
    ]);
    const storageClass = metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
    if (storageClass !== '') result.set(`${storageClass}${classSuffix}persistentvolumeclaims`, one);
    const asked = spec?.resources?.requests?.['storage'];
    if (asked === undefined) return result;
    const allocated = readQuantity(status?.allocatedResources?.['storage']);
    const size = compareQuantities(allocated, readQuantity(asked)) > 0 ? allocated : readQuantity(asked);
    result.set('requests.storage', size);
    if (storageClass !== '') result.set(`${storageClass}${classSuffix}requests.storage`, size);
    return result;
  },
};

const computeNames = ['cpu', 'memory', 'ephemeral-storage'];
const podNames = new Set(['count/pods', 'pods', ...computeNames, ...computeNames.flatMap(n => [`requests.${n}`, `limits.${n}`])]);
const mustBeSaid = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];
const isHugePages = (name: string) => /^(requests\.)?hugepages-/.test(name);
const isExtended = (name: string) => /^requests\.[^/]+\/.+/.test(name) && !name.includes('kubernetes.io/');

const pods: QuotaEvaluator = {
  handles: ({ operation, subresource, object, oldObject }) => {
    if (subresource === 'resize') return operation === 'UPDATE';
    if (subresource !== '') return false;
    return operation === 'CREATE' || (operation === 'UPDATE' && hasDeadline(object) !== hasDeadline(oldObject));
  },
  concerned: wanted => wanted.filter(name => podNames.has(name) || isHugePages(name) || isExtended(name)),
  matchesScope: podMatchesScope,
  usage: (obj, now) => {
    const pod = obj as unknown as Pod & { spec: PodSpec };
    const result: Amounts = new Map([['count/pods', one]]);
    if (!isCharged(pod, now)) return result;
    const options = { withOverhead: true };
    addAmounts(result, computeUsage(podAmounts(pod.spec, 'requests', options), podAmounts(pod.spec, 'limits', options)));
    return result;
  },
  problem: (names, obj) => {
    const { spec } = obj as unknown as Pod & { spec: PodSpec };
    if (spec.resources && (spec.resources.limits || spec.resources.requests)) return undefined;
    const problems: string[] = [];
    for (const name of mustBeSaid.filter(n => names.includes(n))) {
      const silent = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].filter(
        ({ resources }) => !computeUsage(readAmounts(resources?.requests), readAmounts(resources?.limits)).has(name),
      );
      if (silent.length > 0) problems.push(`${name} for: ${[...new Set(silent.map(c => c.name))].sort().join(',')}`);
    }
    return problems.length === 0 ? undefined : `must specify ${problems.join('; ')}`;
  },
};

const special: Readonly<Record<string, QuotaEvaluator>> = {
  '/pods': pods,
  '/services': services,
  '/persistentvolumeclaims': claims,
};

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const result: Amounts = new Map([['pods', one]]);
  for (const [name, value] of requests) {
    if (computeNames.includes(name) || isHugePages(name)) result.set(name, value);
    if (computeNames.includes(name) || isHugePages(name) || name.includes('/')) result.set(`requests.${name}`, value);
  }
  for (const [name, value] of limits) if (computeNames.includes(name)) result.set(`limits.${name}`, value);
  return result;
}

/** Pods that have ended, or should be gone, cost nothing. */
function isCharged({ metadata, status }: Pod, now: Date): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  if (metadata?.deletionTimestamp === undefined || metadata.deletionGracePeriodSeconds === undefined) return true;
  return now.getTime() <= Date.parse(metadata.deletionTimestamp) + metadata.deletionGracePeriodSeconds * 1000;
}

const hasDeadline = (obj: KubeObject | undefined) => (obj as unknown as Pod | undefined)?.spec?.activeDeadlineSeconds !== undefined;

function podMatchesScope({ scopeName, operator, values = [] }: ScopeRequirement, obj: KubeObject): boolean {
  const { spec } = obj as unknown as Pod & { spec: PodSpec };
  switch (scopeName) {
    case 'Terminating':
      return hasDeadline(obj);
    case 'NotTerminating':
      return !hasDeadline(obj);
    case 'BestEffort':
      return isBestEffort(spec);
    case 'NotBestEffort':
      return !isBestEffort(spec);
    case 'PriorityClass':
      return nameMatches(operator, values, spec.priorityClassName ? [spec.priorityClassName] : []);
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(spec);
    default:
      return false;
  }
}

function nameMatches(operator: string, values: readonly string[], names: readonly string[]): boolean {
  if (operator === 'Exists') return names.length > 0;
  if (operator === 'DoesNotExist') return names.length === 0;
  const isIn = names.some(name => values.includes(name));
  return operator === 'In' ? isIn : !isIn;
}

function crossesNamespaces({ affinity }: PodSpec): boolean {
  const terms: PodAffinityTerm[] = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap(a => [
    ...(a?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(a?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(w => w.podAffinityTerm),
  ]);
  return terms.some(term => (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined);
}
