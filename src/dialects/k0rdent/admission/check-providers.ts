import { internalProvider } from '../components.ts';
import { singleton } from '../kinds/group.ts';
import { Management, Region } from '../kinds/management.ts';
import type { AdmissionWorld } from './admission-world.ts';
import type { DeploymentParts } from './check-credential.ts';
import { Refusal } from '../../../core/admission/refusal.ts';

export const infrastructurePrefix = 'infrastructure-';

/** The providers that a template needs must be there, and speak its contracts. */
export async function checkProviders({ template, credential }: DeploymentParts, world: AdmissionWorld): Promise<void> {
  const { providers = [], providerContracts = {} } = template?.status ?? {};
  const region = credential?.spec.region;
  const parent = region ? await world.get(Region, { name: region }) : await world.get(Management, { name: singleton });
  const what = region ? `Region ${region}` : `Management ${singleton}`;
  const warnings = ['Failed to validate required providers'];
  const refuse = (why: string) => new Refusal(`failed to validate required providers: ${why}`, warnings);
  if (!parent && region) throw refuse(`the ${what} is not found`);
  const { availableProviders = [], capiContracts = {} } = parent?.status ?? {};
  const faults: string[] = [];
  // A hub that was not told which providers run beside it does not stand in the way.
  const isTold = availableProviders.some(one => one !== internalProvider);
  const missing = providers.filter(one => isTold && one !== internalProvider && !availableProviders.includes(one));
  if (missing.length > 0) faults.push(`one or more required providers are not deployed yet: [${missing.sort().join(' ')}]`);
  const unsatisfied = Object.entries(providerContracts).flatMap(([provider, contract]) => {
    const given = capiContracts[provider];
    const isMet = given === undefined || Object.values(given).some(versions => versions.split('_').includes(contract));
    return isMet ? [] : [`provider ${provider} does not support ${contract}`];
  });
  if (unsatisfied.length > 0)
    faults.push(`one or more required provider contract versions does not satisfy deployed: [${unsatisfied.sort().join(' ')}]`);
  if (faults.length > 0) throw refuse(`incompatible providers in ${what}: ${faults.join('\n')}`);
}
