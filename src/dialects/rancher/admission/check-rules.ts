import { at, forbidden, required, tooMany, type FieldError } from '../../../api/field-error.ts';
import type { PolicyRule } from '../../../api/kubernetes.ts';

/** Each combination of what a rule names is asked for by itself: nobody needs more of them. */
const maxParts = 10_000;

/** What is wrong with rules, as Kubernetes would say it of a ClusterRole. */
export function ruleFaults(rules: readonly PolicyRule[], field: string): FieldError[] {
  const parts = rules.reduce((sum, rule) => sum + partsOf(rule), 0);
  if (parts > maxParts) return [tooMany(field, parts, maxParts)];
  return rules.flatMap((rule, i) => faultsOf(rule, at.index(field, i)));
}

function faultsOf({ verbs = [], apiGroups = [], resources = [], nonResourceURLs = [] }: PolicyRule, field: string): FieldError[] {
  const needs = (list: readonly string[], name: string, what: string) =>
    list.length > 0 ? [] : [required(at.child(field, name), `${what} must have at least one value`)];
  const ofResources = [...needs(apiGroups, 'apiGroups', 'apiGroups'), ...needs(resources, 'resources', 'resources')];
  const isOfUrls = nonResourceURLs.length > 0 && apiGroups.length === 0 && resources.length === 0;
  if (nonResourceURLs.length > 0 && !isOfUrls)
    return [forbidden(at.child(field, 'nonResourceURLs'), 'rules cannot apply to both regular resources and non-resource URLs')];
  return [...needs(verbs, 'verbs', 'verbs'), ...(isOfUrls ? [] : ofResources)];
}

function partsOf({ verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): number {
  return verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length);
}
