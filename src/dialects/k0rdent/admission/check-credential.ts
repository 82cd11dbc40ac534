import { internalProvider } from '../components.ts';
import type { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { Credential } from '../kinds/management.ts';
import type { ClusterTemplate } from '../kinds/template.ts';
import type { AdmissionWorld } from './admission-world.ts';
import { infrastructurePrefix } from './check-providers.ts';
import { isCredentialJudged } from './get-judged.ts';
import { Refusal } from '../../../core/admission/refusal.ts';

export interface DeploymentParts {
  readonly deployment: ClusterDeployment;
  readonly template: ClusterTemplate | undefined;
  readonly credential: Credential | undefined;
}

export async function findCredential({ metadata, spec }: ClusterDeployment, world: AdmissionWorld): Promise<Credential | undefined> {
  if (!spec.credential) return undefined;
  const namespace = metadata.namespace!;
  const found = await world.getJudged(Credential, { namespace, name: spec.credential }, isCredentialJudged);
  if (!found) throw new Refusal(`the Credential ${namespace}/${spec.credential} is not found in namespace ${namespace}`);
  return found;
}

/** Sandboxes and members of the hub need none. */
export async function checkCredential({ template, credential }: DeploymentParts, world: AdmissionWorld): Promise<void> {
  if (!credential) return;
  const name = `${credential.metadata.namespace}/${credential.metadata.name}`;
  if (!credential.status?.ready) throw new Refusal(`the Credential ${name} is not Ready`);
  const kind = credential.spec.identityRef.kind ?? '';
  for (const provider of template?.status?.providers ?? []) {
    if (!provider.startsWith(infrastructurePrefix)) continue;
    const kinds = provider === internalProvider ? ['Secret'] : await identityKinds(provider, world);
    if (kinds && !kinds.includes(kind))
      throw new Refusal(`provider ${provider} does not support ClusterIdentity Kind ${kind} from the Credential ${name}`);
  }
}

/** What its ProviderInterface says. Undefined when there is none: this hub installs no providers, so it cannot know. */
async function identityKinds(provider: string, world: AdmissionWorld): Promise<readonly string[] | undefined> {
  const [found] = await world.providerInterfaces(provider);
  const { clusterIdentities = [], clusterIdentityKinds = [] } = (found?.['spec'] ?? {}) as {
    clusterIdentities?: readonly { kind?: string }[];
    clusterIdentityKinds?: readonly string[];
  };
  if (!found) return undefined;
  return clusterIdentities.length > 0 ? clusterIdentities.map(({ kind = '' }) => kind) : clusterIdentityKinds;
}
