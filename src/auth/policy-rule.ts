import type { PolicyRule } from '../api/kubernetes.ts';
import { goQuoteList } from '../util/go-quote.ts';
import type { AccessAttributes } from './user.ts';

export type { PolicyRule };

const all = '*';
const none: readonly string[] = [];

/** Whether one rule of a role permits what a request wants. */
export function ruleAllows(rule: PolicyRule, wanted: AccessAttributes): boolean {
  if (!holds(rule.verbs, wanted.verb)) return false;
  if (!wanted.isResource) return (rule.nonResourceURLs ?? none).some(pattern => urlMatches(pattern, wanted.path));
  return (
    holds(rule.apiGroups, wanted.group) &&
    resourceMatches(rule.resources ?? none, wanted.resource, wanted.subresource) &&
    nameMatches(rule.resourceNames ?? none, wanted.name)
  );
}

function holds(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes(all) || list.includes(value));
}

function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(r => r === all || r === combined || (subresource !== '' && r === `*/${subresource}`));
}

function nameMatches(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

function urlMatches(pattern: string, path: string): boolean {
  return pattern === all || pattern === path || (pattern.endsWith('*') && path.startsWith(withoutStars(pattern)));
}

function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}

/** The parts of `wanted`, each with one verb, resource and name, that no rule of `held` covers. */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter(part => !held.some(rule => covers(rule, part)));
}

/** Splits a rule into equivalent rules with one verb, one group, one resource and at most one name. */
export function breakDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  const names = rule.resourceNames ?? [];
  for (const group of rule.apiGroups ?? [])
    for (const resource of rule.resources ?? [])
      for (const verb of rule.verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (names.length === 0) parts.push(part);
        for (const name of names) parts.push({ ...part, resourceNames: [name] });
      }
  for (const url of rule.nonResourceURLs ?? []) for (const verb of rule.verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] });
  return parts;
}

function covers(held: PolicyRule, part: PolicyRule): boolean {
  const names = held.resourceNames ?? none;
  const partNames = part.resourceNames ?? none;
  return (
    holdsAll(held.verbs, part.verbs) &&
    holdsAll(held.apiGroups ?? none, part.apiGroups ?? none) &&
    (part.resources ?? none).every(r => coversResource(held.resources ?? none, r)) &&
    (part.nonResourceURLs ?? none).every(url => (held.nonResourceURLs ?? none).some(owner => coversUrl(owner, url))) &&
    (names.length === 0 || (partNames.length > 0 && partNames.every(n => names.includes(n))))
  );
}

function holdsAll(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes(all) || wanted.every(value => held.includes(value));
}

function coversResource(held: readonly string[], resource: string): boolean {
  if (held.includes(all) || held.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && held.includes(`*/${resource.slice(slash + 1)}`);
}

function coversUrl(owner: string, url: string): boolean {
  return owner === url || (owner.endsWith('*') && url.startsWith(withoutStars(owner)));
}

/** Joins rules about the same single resource that differ only in verbs; leaves the others alone. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = simpleKey(rule);
    const present = key === undefined ? undefined : simple.get(key);
    if (key === undefined) others.push(rule);
    else if (present) present.verbs.push(...rule.verbs);
    else simple.set(key, { ...rule, verbs: [...rule.verbs] });
  }
  return [...others, ...simple.values()];
}

function simpleKey(rule: PolicyRule): string | undefined {
  const names = rule.resourceNames ?? none;
  if (names.length > 1 || (rule.nonResourceURLs?.length ?? 0) > 0) return undefined;
  if (rule.apiGroups?.length !== 1 || rule.resources?.length !== 1) return undefined;
  return JSON.stringify([rule.apiGroups[0], rule.resources[0], ...names]);
}

/** `{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`: the form in which refusals name a rule. */
export function printRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  return `{${parts.flatMap(([name, list]) => (list && list.length > 0 ? [`${name}:${goQuoteList(list)}`] : [])).join(', ')}}`;
}
