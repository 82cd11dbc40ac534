import type { PolicyRule } from '../../../api/kubernetes.ts';
import { managementGroup } from '../names.ts';

const all = '*';

/** Whether rules permit a verb on every object of a resource. */
export function permits(rules: readonly PolicyRule[], verb: string, group: string, resource: string): boolean {
  return rules.some(
    rule => has(rule.verbs, verb) && has(rule.apiGroups, group) && has(rule.resources, resource) && (rule.resourceNames ?? []).length === 0,
  );
}

/** Whether rules permit everything there is: their holders are administrators. */
export const permitsEverything = (rules: readonly PolicyRule[]): boolean => permits(rules, all, all, all);

/** Whether rules make their holder the owner of what they are about. */
export const owns = (rules: readonly PolicyRule[], resource: 'clusters' | 'projects'): boolean =>
  permits(rules, 'own', managementGroup, resource);

/** The parts of rules that are about some resources, by group; nothing else of them. */
export function onlyAbout(rules: readonly PolicyRule[], wanted: Readonly<Record<string, readonly string[]>>): PolicyRule[] {
  return rules.flatMap(rule =>
    Object.entries(wanted).flatMap(([group, names]) => {
      const resources = has(rule.apiGroups, group) ? names.filter(name => has(rule.resources, name)) : [];
      if (resources.length === 0) return [];
      const { verbs, resourceNames } = rule;
      return [{ apiGroups: [group], resources, verbs, ...(resourceNames && resourceNames.length > 0 && { resourceNames }) }];
    }),
  );
}

/** Rules without what they say about Secrets. What is about everything of the core group cannot be told apart, and goes as a whole. */
export function withoutSecrets(rules: readonly PolicyRule[]): PolicyRule[] {
  return rules.flatMap(rule => {
    const { apiGroups, resources = [] } = rule;
    if (!has(apiGroups, '')) return [rule];
    const named = resources.filter(name => name !== all && name !== 'secrets' && !name.startsWith('secrets/'));
    const otherGroups = resources.includes(all) ? apiGroups!.filter(group => group !== '' && group !== all) : [];
    return [
      ...(named.length > 0 ? [{ ...rule, resources: named }] : []),
      ...(otherGroups.length > 0 ? [{ ...rule, apiGroups: otherGroups, resources: [all] }] : []),
    ];
  });
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes(all) || list.includes(value));
}
