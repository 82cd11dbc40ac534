import type { KubeObject } from '../../../api/object.ts';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  printQuantity,
  QuantityError,
  signOfQuantity,
  zeroQuantity,
} from '../../../api/quantity.ts';
import { compareTexts } from '../../../util/compare-texts.ts';
import { isJsonObject } from '../../../util/json.ts';
import type { Project } from '../kinds/project.ts';
import { accessAnnotations } from './access-names.ts';

/** A namespace of a project, as its member has it. */
export interface ProjectNamespace {
  readonly name: string;
  readonly createdAt: string;
  /** Those about quotas. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Amounts by the names that a ResourceQuota has for resources. */
type Amounts = Readonly<Record<string, string>>;

const quotaName = 'default-quota';
const limitsName = 'default-limits';
const quotaLabels = { 'resourcequota.management.cattle.io/default-resource-quota': 'true' };
const limitsLabels = { 'resourcequota.management.cattle.io/default-limit-range': 'true' };
const longestAnnotation = 16_384;

/** What Rancher calls resources, and what Kubernetes does. */
const resources: Readonly<Record<string, string>> = {
  pods: 'pods',
  services: 'services',
  replicationControllers: 'replicationcontrollers',
  secrets: 'secrets',
  configMaps: 'configmaps',
  persistentVolumeClaims: 'persistentvolumeclaims',
  servicesNodePorts: 'services.nodeports',
  servicesLoadBalancers: 'services.loadbalancers',
  requestsCpu: 'requests.cpu',
  requestsMemory: 'requests.memory',
  requestsStorage: 'requests.storage',
  limitsCpu: 'limits.cpu',
  limitsMemory: 'limits.memory',
};

const rancherNames: ReadonlyMap<string, string> = new Map(Object.entries(resources).map(([ours, theirs]) => [theirs, ours]));
type Limit = NonNullable<NonNullable<Project['spec']['resourceQuota']>['usedLimit']>;

/** ResourceQuotas and LimitRanges for the namespaces of a project. */
export function compileQuotas(project: Project, namespaces: readonly ProjectNamespace[]): KubeObject[] {
  const { containerDefaultResourceLimit } = project.spec;
  return [
    ...shareQuota(project, namespaces).map(([namespace, hard]) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace, name: quotaName, labels: quotaLabels },
      spec: { hard },
    })),
    ...namespaces.flatMap(({ name, annotations }) => {
      const own = readJson(annotations[accessAnnotations.containerLimit]);
      const limit = limitOf({ ...(containerDefaultResourceLimit as object | undefined), ...own });
      return limit ? [limitRange(name, limit)] : [];
    }),
  ];
}

/**
 * What each namespace gets: what it asks for, or the default. The oldest come first, and whoever asks for more of a resource than the project has left gets nothing of it, so that all together never have more than
 * the project.
 */
export function shareQuota({ spec }: Pick<Project, 'spec'>, namespaces: readonly ProjectNamespace[]): [string, Amounts][] {
  const total = amountsOf(spec.resourceQuota?.limit);
  if (Object.keys(total).length === 0) return [];
  const usual = amountsOf(spec.namespaceDefaultResourceQuota?.limit);
  const given = new Map(Object.keys(total).map(resource => [resource, zeroQuantity]));
  const inOrder = [...namespaces].sort((a, b) => compareTexts(a.createdAt, b.createdAt) || compareTexts(a.name, b.name));
  return inOrder.map(({ name, annotations }) => {
    const wanted = { ...usual, ...amountsOf(readJson(annotations[accessAnnotations.quota])['limit']) };
    const hard = Object.entries(total).map(([resource, most]) => {
      const amount = wanted[resource] ?? '0';
      const sum = addQuantities(given.get(resource)!, parseQuantity(amount));
      if (compareQuantities(sum, parseQuantity(most)) > 0) return [resource, '0'];
      given.set(resource, sum);
      return [resource, amount];
    });
    return [name, Object.fromEntries(hard) as Amounts];
  });
}

/** What a project has given to its namespaces, in Rancher's words; undefined when it limits nothing. */
export function usedQuota(project: Pick<Project, 'spec'>, namespaces: readonly ProjectNamespace[]): Limit | undefined {
  const total = amountsOf(project.spec.resourceQuota?.limit);
  if (Object.keys(total).length === 0) return undefined;
  const shares = shareQuota(project, namespaces).map(([, hard]) => hard);
  const used = Object.keys(total).map((resource): [string, string] => {
    const sum = shares.reduce((all, hard) => addQuantities(all, parseQuantity(hard[resource] ?? '0')), zeroQuantity);
    return [resource, printQuantity(sum)];
  });
  const named = used.flatMap(([resource, amount]) => (rancherNames.has(resource) ? [[rancherNames.get(resource)!, amount]] : []));
  const extended = used.filter(([resource]) => !rancherNames.has(resource));
  return { ...(Object.fromEntries(named) as Limit), ...(extended.length > 0 && { extended: Object.fromEntries(extended) }) };
}

/** Those of the amounts that can be read and are not negative. */
function amountsOf(limit: unknown): Amounts {
  if (!isJsonObject(limit)) return {};
  const { extended, ...named } = limit;
  const known = Object.entries(named).flatMap(([name, amount]) =>
    Object.hasOwn(resources, name) ? [[resources[name]!, amount] as const] : [],
  );
  const others = isJsonObject(extended) ? Object.entries(extended) : [];
  return Object.fromEntries([...known, ...others].filter((one): one is [string, string] => isAmount(one[1])));
}

function isAmount(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  try {
    return signOfQuantity(parseQuantity(value)) >= 0;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

interface ContainerLimit {
  readonly default: Record<string, string>;
  readonly defaultRequest: Record<string, string>;
}

function limitOf(limit: Readonly<Record<string, unknown>>): ContainerLimit | undefined {
  const pick = (cpu: unknown, memory: unknown) => ({ ...(isAmount(cpu) && { cpu }), ...(isAmount(memory) && { memory }) });
  const most = pick(limit['limitsCpu'], limit['limitsMemory']);
  const asked = pick(limit['requestsCpu'], limit['requestsMemory']);
  return Object.keys({ ...most, ...asked }).length === 0 ? undefined : { default: most, defaultRequest: asked };
}

const limitRange = (namespace: string, limit: ContainerLimit): KubeObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { namespace, name: limitsName, labels: limitsLabels },
  spec: { limits: [{ type: 'Container', ...limit }] },
});

/** Whoever may write to a namespace writes these: what cannot be read counts as not there. */
function readJson(text = ''): Record<string, unknown> {
  if (text === '' || text.length > longestAnnotation) return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
