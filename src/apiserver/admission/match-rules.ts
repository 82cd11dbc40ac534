import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../../api/object.ts';
import type { LabelSelector } from '../../api/kubernetes.ts';
import { internalServerError, notFoundError } from '../../api/status.ts';
import type { Resource } from '../resource.ts';
import { selectorMatches } from '../validation/label-selector.ts';
import type { AdmissionRequest } from './admission.ts';

export interface Rule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
  resourceNames?: string[];
}

/** How a webhook or policy sees a request: under the resource that its rules named. */
export interface Invocation {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
  /** Present when the object must be converted first. */
  readonly convertTo?: Resource;
}

export interface Matching {
  readonly rules: readonly Rule[];
  readonly excludeRules?: readonly Rule[];
  readonly matchPolicy: string;
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
}

/** The namespace of a request; for a namespace itself, its own name. */
export function namespaceOf(request: AdmissionRequest): string {
  if (request.namespace !== '' || !isNamespaces(request.resource)) return request.namespace;
  return request.name || (request.object?.metadata.name ?? '');
}

const isNamespaces = (gr: { group: string; resource: string }) => gr.resource === 'namespaces' && gr.group === '';

/** Kinds that configure admission are beyond its reach, or nobody could take a broken webhook away. */
export function isExempt({ kind }: AdmissionRequest): boolean {
  return kind.group === 'admissionregistration.k8s.io';
}

/** Decides whether rules and selectors choose a request, and under which resource. */
export function matchRequest(matching: Matching, request: AdmissionRequest): Invocation | undefined {
  const { resource, kind } = request;
  if (!objectSelectorMatches(matching.objectSelector, request)) return undefined;
  const own = { group: resource.group, version: resource.version, resource: resource.resource };
  const invocation = isChosen(matching, own, request) ? { resource: own, kind } : findEquivalent(matching, request);
  if (!invocation || !namespaceSelectorMatches(matching.namespaceSelector, request)) return undefined;
  return invocation;
}

function isChosen({ rules, excludeRules = [] }: Matching, gvr: GroupVersionResource, request: AdmissionRequest): boolean {
  return rules.some(rule => ruleMatches(rule, gvr, request)) && !excludeRules.some(rule => ruleMatches(rule, gvr, request));
}

function findEquivalent(matching: Matching, request: AdmissionRequest): Invocation | undefined {
  if (matching.matchPolicy !== 'Equivalent') return undefined;
  const { resource, subresource } = request;
  const equivalents = equivalentsOf(request).filter(r => r !== resource);
  if (equivalents.length === 0) return undefined;
  if (matching.excludeRules?.some(rule => equivalents.some(r => ruleMatches(rule, r, request)))) return undefined;
  for (const rule of matching.rules)
    for (const other of equivalents) {
      if (!ruleMatches(rule, other, request)) continue;
      const sub = subresource === '' ? undefined : other.subresources.find(s => s.name === subresource);
      if (subresource !== '' && !sub)
        throw internalServerError(`unable to convert to ${other.group}/${other.version}, Resource=${other.resource}: unknown kind`);
      const kind = sub?.kind ?? { group: other.group, version: other.version, kind: other.kind };
      const gvr = { group: other.group, version: other.version, resource: other.resource };
      return kind.kind === other.kind ? { resource: gvr, kind, convertTo: other } : { resource: gvr, kind };
    }
  return undefined;
}

/** Every write asks for every webhook and policy; a catalog gives the same list until it changes. */
const byStoreKey = new WeakMap<readonly Resource[], ReadonlyMap<string, readonly Resource[]>>();

function servedTogether(all: readonly Resource[], storeKey: string): readonly Resource[] {
  let known = byStoreKey.get(all);
  if (!known) byStoreKey.set(all, (known = Map.groupBy(all, resource => resource.storeKey)));
  return known.get(storeKey) ?? [];
}

/** The resources under which a request's object can be seen, its own included: the same list until the catalog changes. */
export function equivalentsOf({ api, resource }: AdmissionRequest): readonly Resource[] {
  const together = servedTogether(api.catalog.all(), resource.storeKey);
  // One that is served no longer while a request is under way.
  return together.includes(resource) ? together : [resource, ...together];
}

/** Whether rules may choose a request for one of these resources, whatever it does. */
export function mayChoose({ rules }: Matching, resources: readonly Resource[]): boolean {
  return rules.some(rule =>
    resources.some(
      ({ group, resource }) => has(rule.apiGroups, group) && (rule.resources ?? []).some(pattern => mainMatches(pattern, resource)),
    ),
  );
}

const mainMatches = (pattern: string, resource: string): boolean => {
  const main = pattern.split('/', 1)[0];
  return main === '*' || main === resource;
};

function ruleMatches(rule: Rule, gvr: GroupVersionResource, request: AdmissionRequest): boolean {
  return (
    has(rule.operations, request.operation) &&
    has(rule.apiGroups, gvr.group) &&
    has(rule.apiVersions, gvr.version) &&
    scopeMatches(rule.scope, gvr, request) &&
    (rule.resources ?? []).some(pattern => resourceMatches(pattern, gvr.resource, request.subresource)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(request.name))
  );
}

const has = (items: readonly string[] | undefined, wanted: string) => items?.includes(wanted) === true || items?.includes('*') === true;

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const sub = slash < 0 ? '' : pattern.slice(slash + 1);
  return mainMatches(pattern, resource) && (sub === '*' || sub === subresource);
}

function scopeMatches(scope: string | undefined, gvr: GroupVersionResource, request: AdmissionRequest): boolean {
  if (scope === undefined || scope === '*') return true;
  const isNamespaced = !isNamespaces(gvr) && request.namespace !== '';
  return scope === 'Namespaced' ? isNamespaced : scope === 'Cluster' && !isNamespaced;
}

const isEmptySelector = (selector: LabelSelector | undefined) =>
  !selector?.matchExpressions?.length && (!selector?.matchLabels || Object.keys(selector.matchLabels).length === 0);

function objectSelectorMatches(selector: LabelSelector | undefined, { object, oldObject }: AdmissionRequest): boolean {
  if (isEmptySelector(selector)) return true;
  return [object, oldObject].some(obj => obj?.metadata && selectorMatches(selector as never, obj.metadata.labels ?? {}));
}

function namespaceSelectorMatches(selector: LabelSelector | undefined, request: AdmissionRequest): boolean {
  const namespace = namespaceOf(request);
  if ((namespace === '' && request.resource.resource !== 'namespaces') || isEmptySelector(selector)) return true;
  return selectorMatches(selector as never, namespaceLabels(request, namespace));
}

function namespaceLabels(request: AdmissionRequest, namespace: string): Record<string, string> {
  const { resource, subresource, operation, object } = request;
  if (isNamespaces(resource) && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'))
    return object?.metadata.labels ?? {};
  const ns = request.api.peek({ group: '', resource: 'namespaces' }, '', namespace);
  if (!ns) throw notFoundError({ group: '', resource: 'namespaces' }, namespace);
  return ns.metadata.labels ?? {};
}

/** The object as another version of its resource shows it. */
export async function inVersion(obj: KubeObject | undefined, from: Resource, to: Resource | undefined): Promise<KubeObject | undefined> {
  if (!obj || !to) return obj;
  return to.codec.fromStorage(await from.codec.toStorage(obj));
}
