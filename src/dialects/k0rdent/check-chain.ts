import type { ServiceTemplateChain } from './kinds/template.ts';

/** What is wrong with a chain, of whichever kind, in the words of k0rdent; undefined when nothing is. */
export function checkChain(spec: ServiceTemplateChain['spec']): string | undefined {
  const faults = chainFaults(spec);
  return faults.length === 0 ? undefined : faults.join('; ');
}

/** One by one. */
export function chainFaults({ supportedTemplates = [] }: ServiceTemplateChain['spec']): string[] {
  const names = new Set(supportedTemplates.map(({ name }) => name));
  const missing = supportedTemplates.flatMap(({ availableUpgrades = [] }) =>
    availableUpgrades.filter(({ name }) => !names.has(name)).map(({ name }) => name),
  );
  const mixed = supportedTemplates.filter(({ availableUpgrades = [] }) => new Set(availableUpgrades.map(one => !one.version)).size > 1);
  return [
    ...[...new Set(missing)].map(
      name => `template ${name} is allowed for upgrade but is not present in the list of '.spec.supportedTemplates'`,
    ),
    ...mixed.map(
      ({ name }) => `template ${name} has mixed version/no-version available upgrades: either all or none should have version set`,
    ),
  ].sort();
}
