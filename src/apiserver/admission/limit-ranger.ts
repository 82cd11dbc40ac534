import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from '../../api/kubernetes.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { concerns, forbid, isPod } from './admission-errors.ts';
import { compareQuantities, printQuantity, wholeValue, zeroQuantity, type Quantity } from '../../api/quantity.ts';
import { podAmounts, readAmounts, readQuantity, type Amounts } from '../../api/pod-amounts.ts';
import type { WatchedLists } from './watched-lists.ts';

const limitRanges = { group: '', resource: 'limitranges' };

/** Fills in default requests and limits of containers, and holds pods and claims to the bounds of their namespace. */
export function limitRanger(lists: WatchedLists): AdmissionPlugin {
  const ranges = lists.list(limitRanges, obj => obj as unknown as LimitRange);
  return {
    name: 'LimitRanger',
    handles: request => isLimited(request) && ranges.in(request.namespace).length > 0,
    mutate: request => {
      if (!isPod(request)) return;
      for (const range of ranges.in(request.namespace)) setDefaults(request.object as unknown as Pod, range);
    },
    validate: request => {
      for (const range of ranges.in(request.namespace)) {
        const problems = isPod(request) ? podProblems(range, request) : claimProblems(range, request);
        if (problems.length > 0) throw forbid(request, aggregate(problems));
      }
    },
  };
}

function isLimited(request: AdmissionRequest): boolean {
  const { operation, subresource, object, namespace } = request;
  if (!object || namespace === '') return false;
  if (isPod(request)) return (subresource === '' && operation === 'CREATE') || (subresource === 'resize' && operation === 'UPDATE');
  if (subresource !== '' || !concerns(request, '', 'persistentvolumeclaims')) return false;
  return operation === 'CREATE' || (operation === 'UPDATE' && object.metadata.deletionTimestamp === undefined);
}

function setDefaults(pod: Pod, range: LimitRange): void {
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    Object.assign(requests, item.defaultRequest);
    Object.assign(limits, item.default);
  }
  const notes: string[] = [];
  for (const container of pod.spec?.containers ?? []) merge(container, requests, limits, 'container', notes);
  for (const container of pod.spec?.initContainers ?? []) merge(container, requests, limits, 'init container', notes);
  if (notes.length === 0) return;
  const metadata = (pod.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, 'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${notes.join('; ')}` };
}

function merge(
  container: Container,
  requests: Record<string, string>,
  limits: Record<string, string>,
  what: string,
  notes: string[],
): void {
  const resources = (container.resources ??= {});
  const missing = (defaults: Record<string, string>, present: Record<string, unknown> | undefined) =>
    Object.keys(defaults)
      .filter(name => present?.[name] === undefined)
      .sort();
  const setLimits = missing(limits, resources.limits);
  const setRequests = missing(requests, resources.requests);
  if (setLimits.length > 0) resources.limits = { ...pick(limits, setLimits), ...resources.limits };
  if (setRequests.length > 0) resources.requests = { ...pick(requests, setRequests), ...resources.requests };
  if (setRequests.length > 0) notes.push(`${setRequests.join(', ')} request for ${what} ${container.name}`);
  if (setLimits.length > 0) notes.push(`${setLimits.join(', ')} limit for ${what} ${container.name}`);
}

const pick = (from: Record<string, string>, names: readonly string[]) => Object.fromEntries(names.map(name => [name, from[name]!]));

function podProblems(range: LimitRange, request: AdmissionRequest): string[] {
  const { spec } = request.object as unknown as Pod & { spec: PodSpec };
  return (range.spec?.limits ?? []).flatMap(item => {
    if (item.type === 'Pod') {
      const options = { withOverhead: false };
      return boundProblems(item, podAmounts(spec, 'requests', options), podAmounts(spec, 'limits', options));
    }
    if (item.type !== 'Container') return [];
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      boundProblems(item, readAmounts(resources?.requests), readAmounts(resources?.limits)),
    );
  });
}

function claimProblems(range: LimitRange, request: AdmissionRequest): string[] {
  const requests = readAmounts((request.object as unknown as PersistentVolumeClaim).spec?.resources?.requests);
  return (range.spec?.limits ?? []).flatMap(item => {
    if (item.type !== 'PersistentVolumeClaim') return [];
    return [
      ...entries(item.min).map(([name, bound]) => minProblem(item.type, name, bound, requests, new Map())),
      ...entries(item.max).map(([name, bound]) => {
        const asked = requests.get(name);
        const rule = `maximum ${name} usage per ${item.type} is ${printQuantity(bound)}`;
        if (!asked) return `${rule}.  No request is specified`;
        return compareQuantities(asked, bound) > 0 ? `${rule}, but request is ${printQuantity(asked)}` : undefined;
      }),
    ].filter(problem => problem !== undefined);
  });
}

function boundProblems(item: LimitRangeItem, requests: Amounts, limits: Amounts): string[] {
  return [
    ...entries(item.min).map(([name, bound]) => minProblem(item.type, name, bound, requests, limits)),
    ...entries(item.max).map(([name, bound]) => maxProblem(item.type, name, bound, requests, limits)),
    ...entries(item.maxLimitRequestRatio).map(([name, bound]) => ratioProblem(item.type, name, bound, requests, limits)),
  ].filter(problem => problem !== undefined);
}

const entries = (list: Readonly<Record<string, unknown>> | undefined): [string, Quantity][] =>
  Object.entries(list ?? {}).map(([name, value]) => [name, readQuantity(value)]);

function minProblem(type: string, name: string, bound: Quantity, requests: Amounts, limits: Amounts): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${printQuantity(bound)}`;
  const [asked, limit] = [requests.get(name), limits.get(name)];
  if (!asked) return `${rule}.  No request is specified`;
  if (compareQuantities(asked, bound) < 0) return `${rule}, but request is ${printQuantity(asked)}`;
  return limit && compareQuantities(limit, bound) < 0 ? `${rule}, but limit is ${printQuantity(limit)}` : undefined;
}

function maxProblem(type: string, name: string, bound: Quantity, requests: Amounts, limits: Amounts): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${printQuantity(bound)}`;
  const [asked, limit] = [requests.get(name), limits.get(name)];
  if (!limit) return `${rule}.  No limit is specified`;
  if (compareQuantities(limit, bound) > 0) return `${rule}, but limit is ${printQuantity(limit)}`;
  return asked && compareQuantities(asked, bound) > 0 ? `${rule}, but request is ${printQuantity(asked)}` : undefined;
}

function ratioProblem(type: string, name: string, bound: Quantity, requests: Amounts, limits: Amounts): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${printQuantity(bound)}, but`;
  const [asked, limit] = [requests.get(name) ?? zeroQuantity, limits.get(name) ?? zeroQuantity];
  if (asked.value === 0n) return `${rule} no request is specified or request is 0`;
  if (limit.value === 0n) return `${rule} no limit is specified or limit is 0`;
  const ratio = Number(wholeValue(limit, -9)) / Number(wholeValue(asked, -9));
  return ratio > Number(wholeValue(bound, -3)) / 1000 ? `${rule} provided ratio is ${ratio.toFixed(6)}` : undefined;
}

function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
}
