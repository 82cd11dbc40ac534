import type { PolicyRule } from '../../../api/kubernetes.ts';
import type { RoleTemplate } from '../kinds/role.ts';

/** Undefined when there is no such RoleTemplate. */
export type FindTemplate = (name: string) => RoleTemplate | undefined;

/** The RoleTemplate and all that it inherits, each once, itself first. Those that are not there are left out, and circles end. */
export function withInherited(name: string, find: FindTemplate): RoleTemplate[] {
  const found = new Map<string, RoleTemplate>();
  const waiting = [name];
  for (const next of waiting) {
    const template = found.has(next) ? undefined : find(next);
    if (!template) continue;
    found.set(next, template);
    waiting.push(...(template.roleTemplateNames ?? []));
  }
  return [...found.values()];
}

/** Everything that a RoleTemplate permits, as far as the hub knows: of external ones what they are said to permit. */
export function inheritedRules(name: string, find: FindTemplate): PolicyRule[] {
  return withInherited(name, find).flatMap(template => (template.external ? template.externalRules : template.rules) ?? []);
}
