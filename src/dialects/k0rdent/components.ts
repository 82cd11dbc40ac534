import type { JsonObject } from '../../util/json.ts';
import type { Management, Release } from './kinds/management.ts';
import type { ProviderTemplate } from './kinds/template.ts';

type Provider = NonNullable<Management['spec']['providers']>[number];

/** Drover itself: clusters that it makes or takes need no other. */
export const internalProvider = 'infrastructure-internal';

/** The template of a provider: the one that is named beside it, or that of the Release. */
export function providerTemplateName({ name, template }: Provider, release: Release | undefined): string | undefined {
  return template || release?.spec.providers?.find(one => one.name === name)?.template;
}

/** What a Management says of its providers. This hub installs none: an administrator names those that are there, and their templates tell what they can do. */
export function componentsStatus(
  { providers = [] }: Management['spec'],
  release: Release | undefined,
  find: (name: string) => ProviderTemplate | undefined,
): Pick<NonNullable<Management['status']>, 'availableProviders' | 'capiContracts' | 'components'> {
  const available = new Set([internalProvider]);
  const capiContracts: Record<string, Record<string, string>> = {};
  const components: Record<string, JsonObject> = {};
  for (const provider of providers) {
    const template = providerTemplateName(provider, release);
    const { status } = (template !== undefined && find(template)) || {};
    const fault = faultOf(template, status);
    const exposed = fault === undefined ? (status?.providers ?? []) : [];
    components[provider.name] = {
      ...(template !== undefined && { template }),
      success: fault === undefined,
      ...(fault !== undefined && { error: fault }),
      ...(exposed.length > 0 && { exposedProviders: exposed }),
    };
    for (const name of exposed) {
      available.add(name);
      if (status?.capiContracts) capiContracts[name] = { ...status.capiContracts };
    }
  }
  return {
    availableProviders: [...available].sort(),
    ...(Object.keys(capiContracts).length > 0 && { capiContracts }),
    ...(providers.length > 0 && { components }),
  };
}

function faultOf(template: string | undefined, status: ProviderTemplate['status']): string | undefined {
  if (template === undefined) return 'neither the provider nor the Release names a ProviderTemplate';
  if (!status) return `ProviderTemplate ${template} not found`;
  return status.valid ? undefined : `ProviderTemplate ${template} is not valid: ${status.validationError ?? 'it has not been checked yet'}`;
}
