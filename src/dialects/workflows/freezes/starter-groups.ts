import { deliveryAnnotations } from '../names.ts';

/** More say nothing about anybody. */
const maxGroups = 200;

export const printGroups = (groups: readonly string[]): string => JSON.stringify(groups.slice(0, maxGroups));

/** The groups of whoever asked for a run: freezes may spare them. */
export function starterGroups(annotations: Readonly<Record<string, string>> = {}): string[] {
  try {
    const groups: unknown = JSON.parse(annotations[deliveryAnnotations.triggeredByGroups] ?? '[]');
    return Array.isArray(groups) ? groups.filter(one => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
