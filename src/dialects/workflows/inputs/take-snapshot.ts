import { Namespace } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import { isDns1123Label } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Egress } from '../../../sources/egress.ts';
import { createSourceCaches } from '../../../sources/source-caches.ts';
import type { JsonObject } from '../../../util/json.ts';
import { renderText } from '../expressions/render-text.ts';
import { infraId } from '../infrastructure/infra-id.ts';
import { CloudProvider } from '../kinds/cloud-provider.ts';
import { defaultReleaseName, InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { Environment, ServiceDefinition } from '../kinds/service-definition.ts';
import { Workflow } from '../kinds/workflow.ts';
import { deliveryAnnotations } from '../names.ts';
import { chooseArtifact } from './choose-artifact.ts';
import { fileFetcher } from './fetch-files.ts';
import { at, faultOf, InputError, inputReasons } from './input-error.ts';
import type { RunInputs, SnapshotRequest } from './run-inputs.ts';
import { runScope, type PartialSnapshot } from './run-scope.ts';
import type { InfrastructureSnapshot, RunSnapshot } from './run-snapshot.ts';
import { takeService, variableSnapshot } from './take-service.ts';
import { workflowVariables } from './workflow-variables.ts';

export interface SnapshotDeps {
  readonly hub: KubeClient;
  readonly egress: Egress;
}

const descriptionAnnotation = 'kubernetes.io/description';

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
    const { namespace, facts } = request;
    const read = <T extends KubeObject>(kind: KindRef<T>, name: string, isOfHub = false) =>
      find(kind, name, isOfHub ? undefined : namespace, signal);
    const app = await readApp(namespace, signal);
    const workflow = await read(Workflow, request.workflow);
    const { spec } = workflow;
    const known: PartialSnapshot = {
      app,
      workflow: { name: request.workflow, description: spec.description ?? '', spec: spec as unknown as JsonObject },
      variables: {},
    };
    const render = (snapshot: PartialSnapshot) => (text: string) => renderText(text, runScope(snapshot, facts));
    // What the service may be given is known when it is: until then whatever the run gives is believed.
    const variablesOf = (also: (name: string) => boolean, snapshot: PartialSnapshot) =>
      workflowVariables(spec.variables ?? [], request.variables, {
        also,
        render: (text, variables) => render({ ...snapshot, variables })(text),
      });
    const first: PartialSnapshot = { ...known, variables: variablesOf(() => true, known) };
    const nameOf = (field: string, text: string | undefined) => at(`spec.${field}`, () => named(field, text, render(first)));

    const infrastructure = await read(
      InfrastructureDefinition,
      request.infrastructure ?? (await nameOf('infrastructureRef', spec.infrastructureRef)),
    );
    const environment = await read(Environment, await nameOf('environmentRef', spec.environmentRef ?? infrastructure.spec.environmentRef));
    checkEnvironment(infrastructure, environment);
    const provider = await read(CloudProvider, infrastructure.spec.cloudProviderRef, true);
    checkRestrictions(provider, namespace, environment);
    const serviceName = await nameOf('serviceRef', spec.serviceRef);
    const others = await Promise.all(
      (spec.phases ?? []).flatMap(({ serviceRef }) => (serviceRef === undefined ? [] : nameOf('phases', serviceRef))),
    );
    const services = await Promise.all([...new Set([serviceName, ...others])].map(name => read(ServiceDefinition, name)));

    const names = new Set([
      ...services.flatMap(one => one.spec.variables ?? []).map(one => one.name),
      ...(environment.spec.serviceOverrides ?? []).flatMap(one => one.variables ?? []).map(one => one.name),
      ...(spec.phases ?? []).flatMap(one => one.variableOverrides ?? []).map(one => one.name),
    ]);
    const variables = variablesOf(name => names.has(name), known);
    const base: PartialSnapshot = {
      ...known,
      variables,
      service: serviceName,
      environment: {
        name: environment.metadata.name!,
        description: environment.spec.description ?? '',
        type: environment.spec.type,
        variables: (environment.spec.variables ?? []).map(variableSnapshot),
      },
      provider: providerSnapshot(provider),
    };
    const taken = await Promise.all(
      services.map(service => {
        const { name = '' } = service.metadata;
        return at(`Service "${name}"`, async () => {
          const artifact = chooseArtifact(service, request.artifacts ?? [], name === serviceName);
          const bare = { name, description: '', variables: [], skipVersioning: false, bundle: '', sources: [] };
          const soFar = {
            ...base,
            services: { [name]: { ...bare, variables: service.spec.variables ?? [], ...(artifact && { artifact }) } },
          };
          const renderHere = (text: string) => renderText(text, runScope(soFar, { ...facts, service: name }));
          const fetcher = fileFetcher({ hub, egress, caches, namespace, render: renderHere, signal });
          return takeService(service, { environment, artifact }, { hub, fetcher, render: renderHere, signal });
        });
      }),
    );
    const withServices = { ...base, services: Object.fromEntries(taken.map(one => [one.name, one])) };
    return {
      ...(withServices as Omit<RunSnapshot, 'infrastructure'>),
      infrastructure: await at(`Infrastructure "${infrastructure.metadata.name}"`, () =>
        infrastructureSnapshot(infrastructure, { namespace, serviceName }, withServices, facts),
      ),
    };
  }

  async function readApp(namespace: string, signal: AbortSignal): Promise<RunSnapshot['app']> {
    const { annotations = {} } = (await hub.get(Namespace, { name: namespace }, { signal }))?.metadata ?? {};
    return { name: annotations[deliveryAnnotations.appName] ?? namespace, description: annotations[descriptionAnnotation] ?? '' };
  }

  async function find<T extends KubeObject>(
    kind: KindRef<T>,
    name: string,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<T> {
    const found = await hub.get(kind, { namespace, name }, { signal });
    if (found) return found;
    const where = namespace === undefined ? '' : ` in namespace "${namespace}"`;
    throw new InputError(inputReasons.notFound, `There is no ${kind.kind} "${name}"${where}`);
  }
}

function named(field: string, text: string | undefined, render: (text: string) => string): string {
  const name = text === undefined ? '' : render(text).trim();
  if (name === '') throw new InputError(inputReasons.notFound, `The workflow names none in ${field}`);
  return name;
}

function checkEnvironment({ metadata, spec }: InfrastructureDefinition, environment: Environment): void {
  const { name } = environment.metadata;
  if (spec.environmentRef === name) return;
  const message = `Infrastructure "${metadata.name}" belongs to environment "${spec.environmentRef}" and not to "${name}"`;
  throw new InputError(inputReasons.invalidInfrastructure, message);
}

/** Whether the clusters of a provider are for this namespace and this kind of environment. Throws InputError. */
function checkRestrictions({ metadata, spec }: CloudProvider, namespace: string, environment: Environment): void {
  const { namespaces = [], environmentTypes = [] } = spec.usageRestrictions ?? {};
  const refuse = (whom: string) => new InputError(inputReasons.restricted, `Provider "${metadata.name}" may not be used ${whom}`);
  if (namespaces.length > 0 && !namespaces.includes(namespace)) throw refuse(`in namespace "${namespace}"`);
  if (environmentTypes.length > 0 && !environmentTypes.includes(environment.spec.type))
    throw refuse(`for environments of type ${environment.spec.type}`);
}

function providerSnapshot({ metadata, spec }: CloudProvider): RunSnapshot['provider'] {
  const url = spec.rancher?.url.replace(/\/+$/, '');
  return { name: metadata.name!, type: spec.type, ...(url !== undefined && { url }) };
}

function infrastructureSnapshot(
  { metadata, spec }: InfrastructureDefinition,
  { namespace, serviceName }: { readonly namespace: string; readonly serviceName: string },
  snapshot: PartialSnapshot,
  facts: SnapshotRequest['facts'],
): InfrastructureSnapshot {
  const name = metadata.name!;
  const bare = {
    name,
    spec: spec as unknown as JsonObject,
    infraId: infraId(namespace, serviceName, name),
    namespace: '',
    releaseName: '',
  };
  const rendered = (field: 'namespace' | 'releaseName', text: string, before: InfrastructureSnapshot) => {
    const value = renderText(text, runScope({ ...snapshot, infrastructure: before }, facts)).trim();
    const [wrong] = isDns1123Label(value);
    if (wrong !== undefined) throw new InputError(inputReasons.invalidInfrastructure, `spec.${field}: "${value}": ${wrong}`);
    return value;
  };
  const placed = { ...bare, namespace: rendered('namespace', spec.namespace, bare) };
  return { ...placed, releaseName: rendered('releaseName', spec.releaseName ?? defaultReleaseName, placed) };
}
