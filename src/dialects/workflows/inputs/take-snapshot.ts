import { isDns1123Label } from '../../../api/names.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Egress } from '../../../sources/egress.ts';
import { createSourceCaches } from '../../../sources/source-caches.ts';
import type { JsonObject } from '../../../util/json.ts';
import { renderText } from '../expressions/render-text.ts';
import { infraId } from '../infrastructure/infra-id.ts';
import type { CloudProvider } from '../kinds/cloud-provider.ts';
import { defaultReleaseName, type InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import type { Environment, ServiceDefinition } from '../kinds/service-definition.ts';
import { chooseArtifact } from './choose-artifact.ts';
import { fileFetcher, type GitRepositories } from './fetch-files.ts';
import { at, faultOf, InputError, inputReasons } from './input-error.ts';
import type { RunInputs, SnapshotRequest } from './run-inputs.ts';
import { readParts, type RunParts } from './run-parts.ts';
import { runScope, type PartialSnapshot } from './run-scope.ts';
import type { EnvironmentSnapshot, InfrastructureSnapshot, RunSnapshot, ServiceSnapshot } from './run-snapshot.ts';
import { serviceVariablesIn, takeService, variableSnapshot } from './take-service.ts';

export interface SnapshotDeps {
  readonly hub: KubeClient;
  readonly egress: Egress;
}

export function snapshotTaker({ hub, egress }: SnapshotDeps): RunInputs['takeSnapshot'] {
  const caches = createSourceCaches();
  return async (request, signal) => {
    try {
      return { snapshot: await take(request, signal) };
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultOf(error);
      if (!fault) throw error;
      return { fault };
    }
  };

  async function take(request: SnapshotRequest, signal: AbortSignal): Promise<RunSnapshot> {
    const parts = await readParts(hub, request, signal);
    const { infrastructure, environment, provider, services } = parts;
    const service = services[0]!.metadata.name!;
    const base = { ...parts.base, service, environment: environmentSnapshot(environment), provider: providerSnapshot(provider) };
    const repositories: GitRepositories = new Map();
    const taken = await Promise.all(
      services.map(one => at(`Service "${one.metadata.name}"`, () => takeOne(one, { base, parts, request, repositories, signal }))),
    );
    const whole = { ...base, services: Object.fromEntries(taken.map(one => [one.name, one])) };
    const where = `Infrastructure "${infrastructure.metadata.name}"`;
    return { ...whole, infrastructure: await at(where, () => infrastructureSnapshot(infrastructure, whole, request)) };
  }

  /** What is fetched for a service may depend on its variables and its artifact. */
  function takeOne(service: ServiceDefinition, { base, parts, request, repositories, signal }: TakeRequest): Promise<ServiceSnapshot> {
    const { name = '' } = service.metadata;
    const { namespace, facts, artifacts = [] } = request;
    const artifact = chooseArtifact(service, artifacts, name === base.service);
    const variables = serviceVariablesIn(parts.environment, service);
    const soFar = { name, description: '', variables, skipVersioning: false, bundle: '', sources: [], ...(artifact && { artifact }) };
    const scope = runScope({ ...base, services: { [name]: soFar } }, { ...facts, service: name });
    const render = (text: string) => renderText(text, scope);
    const fetcher = fileFetcher({ hub, egress, caches, namespace, render, repositories, signal });
    return takeService(service, { environment: parts.environment, artifact }, { hub, fetcher, render, signal });
  }
}

interface TakeRequest {
  readonly base: PartialSnapshot;
  readonly parts: RunParts;
  readonly request: SnapshotRequest;
  /** Shared by all services of the run: a branch is one commit. */
  readonly repositories: GitRepositories;
  readonly signal: AbortSignal;
}

function environmentSnapshot({ metadata, spec }: Environment): EnvironmentSnapshot {
  const { type, description = '', variables = [] } = spec;
  return { name: metadata.name!, description, type, variables: variables.map(variableSnapshot) };
}

function providerSnapshot({ metadata, spec }: CloudProvider): RunSnapshot['provider'] {
  const url = spec.rancher?.url.replace(/\/+$/, '');
  return { name: metadata.name!, type: spec.type, ...(url !== undefined && { url }) };
}

function infrastructureSnapshot(
  { metadata, spec }: InfrastructureDefinition,
  snapshot: PartialSnapshot,
  { namespace, facts }: SnapshotRequest,
): InfrastructureSnapshot {
  const name = metadata.name!;
  const id = infraId(namespace, snapshot.service ?? '', name);
  const bare = { name, spec: spec as unknown as JsonObject, infraId: id, namespace: '', releaseName: '' };
  const rendered = (field: 'namespace' | 'releaseName', text: string, before: InfrastructureSnapshot) => {
    const value = renderText(text, runScope({ ...snapshot, infrastructure: before }, facts)).trim();
    const [wrong] = isDns1123Label(value);
    if (wrong !== undefined) throw new InputError(inputReasons.invalidInfrastructure, `spec.${field}: "${value}": ${wrong}`);
    return value;
  };
  const placed = { ...bare, namespace: rendered('namespace', spec.namespace, bare) };
  return { ...placed, releaseName: rendered('releaseName', spec.releaseName ?? defaultReleaseName, placed) };
}
