import type { ServiceTemplateChain } from './kinds/template.ts';

/** What is wrong with a chain, of whichever kind, in the words of k0rdent; undefined when nothing is. */
export function checkChain({ supportedTemplates = [] }: ServiceTemplateChain['spec']): string | undefined {
  const names = new Set(supportedTemplates.map(({ name }) => name));
  const missing = supportedTemplates.flatMap(({ availableUpgrades = [] }) =>
    availableUpgrades.filter(({ name }) => !names.has(name)).map(({ name }) => name),
  );
  const mixed = supportedTemplates.filter(({ availableUpgrades = [] }) => new Set(availableUpgrades.map(one => !one.version)).size > 1);
  const faults = [
    ...[...new Set(missing)].map(
      name => `template ${name} is allowed for upgrade but is not present in the list of '.spec.supportedTemplates'`,
    ),
    ...mixed.map(({ name }) => `the upgrades of template ${name} have versions in part: either all of them need one, or none`),
  ];
  return faults.length === 0 ? undefined : faults.join('; ');
}
