import { forbidden } from '../../../api/field-error.ts';
import { invalidObject } from '../../../api/status.ts';
import type { AdmissionAnswer } from '../../../core/admission/admission-review.ts';
import { providerTemplateName } from '../components.ts';
import { k0rdent } from '../kinds/group.ts';
import type { Management, Region, Release } from '../kinds/management.ts';
import { ProviderTemplate } from '../kinds/template.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { forbid } from '../../../core/admission/refusal.ts';

type Parent = Management | Region;
interface Change {
  readonly kind: 'Management' | 'Region';
  readonly old: Parent;
  readonly next: Parent;
  readonly release: Release | undefined;
}

/** The providers of a Management or a Region: those that clusters need stay, and all speak the contracts that are asked of them. */
export async function reviewComponents(change: Change, world: AdmissionWorld): Promise<AdmissionAnswer> {
  const { kind, next } = change;
  const name = next.metadata.name ?? '';
  const needed = await neededOfRemoved(change, world);
  if (needed.length > 0) {
    const which = needed.length === 1 ? `provider ${needed[0]} is` : `providers ${needed.join(',')} are`;
    const why = `${which} required by at least one ClusterDeployment and cannot be removed from the ${kind} ${name}`;
    return {
      refusal: invalidObject({ group: k0rdent.group, kind }, name, [forbidden('spec.providers', why)]),
      warnings: ['Some of the providers cannot be removed'],
    };
  }
  const what = kind === 'Management' ? 'the Management is invalid' : `the Region ${name} is invalid`;
  const { fault, incompatible } = await checkContracts(change, world);
  if (fault !== undefined) return forbid(`${what}: ${fault}`);
  if (incompatible.length === 0) return {};
  return forbid(`${what}: ${incompatible.join(', ')}`, [`The ${kind} object has incompatible CAPI contract versions in ProviderTemplates`]);
}

async function neededOfRemoved({ kind, old, next, release }: Change, world: AdmissionWorld): Promise<string[]> {
  const staying = new Set((next.spec.providers ?? []).map(one => one.name));
  const needed = new Set<string>();
  for (const provider of (old.spec.providers ?? []).filter(one => !staying.has(one.name))) {
    const template = await find(providerTemplateName(provider, release), world);
    for (const name of (await usedProviders(template, regionOf(kind, next), world)).keys()) needed.add(name);
  }
  return [...needed].sort();
}

const regionOf = (kind: Change['kind'], { metadata }: Parent): string => (kind === 'Region' ? (metadata.name ?? '') : '');

const find = async (name: string | undefined, world: AdmissionWorld): Promise<ProviderTemplate | undefined> =>
  name === undefined ? undefined : world.get(ProviderTemplate, { name });

/** Which of the providers of a template clusters have, and the contracts they ask of them. */
async function usedProviders(
  template: ProviderTemplate | undefined,
  region: string,
  world: AdmissionWorld,
): Promise<Map<string, string[]>> {
  const used = new Map<string, string[]>();
  const providers = template?.status?.providers ?? [];
  if (providers.length === 0) return used;
  const deployments = (await world.deployments()).filter(({ status }) => (status?.region ?? '') === region);
  const inUse = new Set(deployments.map(({ metadata, spec }) => `${metadata.namespace}/${spec.template}`));
  for (const { metadata, status } of await world.clusterTemplates()) {
    if (!inUse.has(`${metadata.namespace}/${metadata.name}`)) continue;
    for (const provider of providers.filter(one => status?.providers?.includes(one))) {
      const contract = status?.providerContracts?.[provider];
      used.set(provider, [...(used.get(provider) ?? []), ...(contract === undefined ? [] : [contract])]);
    }
  }
  return used;
}

interface Contracts {
  readonly fault?: string;
  readonly incompatible: readonly string[];
}

/** Of the templates that are new here. */
async function checkContracts({ kind, old, next, release }: Change, world: AdmissionWorld): Promise<Contracts> {
  const coreName = coreTemplateName(next, release);
  const core = await find(coreName, world);
  if (core && coreName !== coreTemplateName(old, release) && !core.status?.valid) return { fault: notReady(coreName!), incompatible: [] };
  const before = new Map((old.spec.providers ?? []).map(one => [one.name, providerTemplateName(one, release)]));
  const incompatible: string[] = [];
  for (const provider of next.spec.providers ?? []) {
    const name = providerTemplateName(provider, release);
    if (name === undefined || name === coreName || before.get(provider.name) === name) continue;
    const template = await find(name, world);
    if (!template)
      return { fault: `failed to get ProviderTemplate ${name}: providertemplates.${k0rdent.group} "${name}" not found`, incompatible };
    const contracts = template.status?.capiContracts ?? {};
    if (Object.keys(contracts).length === 0) continue;
    if (!template.status?.valid) return { fault: notReady(name), incompatible };
    incompatible.push(
      ...unknownToCore(name, contracts, core),
      ...missing(contracts, await usedProviders(template, regionOf(kind, next), world)),
    );
  }
  return { incompatible };
}

const coreTemplateName = ({ spec }: Parent, release: Release | undefined): string | undefined =>
  (spec.core as Management['spec']['core'])?.capi?.template || release?.spec.capi.template;

const notReady = (name: string): string => `not valid ProviderTemplate ${name}: provider is not yet ready`;

function unknownToCore(name: string, contracts: Readonly<Record<string, string>>, core: ProviderTemplate | undefined): string[] {
  const known = Object.keys(core?.status?.capiContracts ?? {});
  if (known.length === 0) return [];
  return Object.keys(contracts)
    .filter(version => !known.includes(version))
    .map(version => `core CAPI contract versions does not support ${version} version in the ProviderTemplate ${name}`);
}

function missing(contracts: Readonly<Record<string, string>>, used: ReadonlyMap<string, readonly string[]>): string[] {
  const exposed = new Set(Object.values(contracts).flatMap(versions => versions.split('_')));
  return [...used].flatMap(([provider, asked]) =>
    [...new Set(asked)]
      .filter(contract => !exposed.has(contract))
      .map(contract => `missing contract version ${contract} for ${provider} provider that is required by one or more ClusterDeployment`),
  );
}
