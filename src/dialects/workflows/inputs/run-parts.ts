import { Namespace } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { JsonObject } from '../../../util/json.ts';
import { renderText } from '../expressions/render-text.ts';
import { CloudProvider } from '../kinds/cloud-provider.ts';
import { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { Environment, ServiceDefinition } from '../kinds/service-definition.ts';
import { Workflow } from '../kinds/workflow.ts';
import { deliveryAnnotations } from '../names.ts';
import { at, InputError, inputReasons } from './input-error.ts';
import type { SnapshotRequest } from './run-inputs.ts';
import { runScope, type PartialSnapshot } from './run-scope.ts';
import { workflowVariables } from './workflow-variables.ts';

/** The objects that a run is made of, as they are. */
export interface RunParts {
  /** App, workflow and variables: what decides which the others are. */
  readonly base: PartialSnapshot;
  readonly infrastructure: InfrastructureDefinition;
  readonly environment: Environment;
  readonly provider: CloudProvider;
  /** That of the run first, then those that phases name. */
  readonly services: readonly ServiceDefinition[];
}

const descriptionAnnotation = 'kubernetes.io/description';

/** Reads what a run names, and checks that it fits together. Throws InputError, UnresolvedExpression. */
export async function readParts(hub: KubeClient, request: SnapshotRequest, signal: AbortSignal): Promise<RunParts> {
  const { namespace, facts } = request;
  const read = <T extends KubeObject>(kind: KindRef<T>, name: string) => find(hub, kind, { namespace, name }, signal);
  const app = await readApp(hub, namespace, signal);
  const { spec } = await read(Workflow, request.workflow);
  const workflow = { name: request.workflow, description: spec.description ?? '', spec: spec as unknown as JsonObject };
  const variablesOf = (also: (name: string) => boolean) =>
    workflowVariables(spec.variables ?? [], request.variables, {
      also,
      render: (text, variables) => renderText(text, runScope({ app, workflow, variables }, facts)),
    });
  // Which service it is may depend on variables, and which variables there are on the service: until that is known, whatever the run gives is believed.
  const scope = runScope({ app, workflow, variables: variablesOf(() => true) }, facts);
  const nameOf = (field: string, text: string | undefined) => at(`spec.${field}`, () => named(field, text && renderText(text, scope)));

  const infrastructure = await read(
    InfrastructureDefinition,
    request.infrastructure ?? (await nameOf('infrastructureRef', spec.infrastructureRef)),
  );
  const environment = await read(Environment, await nameOf('environmentRef', spec.environmentRef ?? infrastructure.spec.environmentRef));
  checkEnvironment(infrastructure, environment);
  const provider = await find(hub, CloudProvider, { name: infrastructure.spec.cloudProviderRef }, signal);
  checkRestrictions(provider, namespace, environment);
  const others = (spec.phases ?? []).flatMap(({ serviceRef }) => (serviceRef === undefined ? [] : [nameOf('phases', serviceRef)]));
  const names = await Promise.all([nameOf('serviceRef', spec.serviceRef), ...others]);
  const services = await Promise.all([...new Set(names)].map(name => read(ServiceDefinition, name)));
  const variables = variablesOf(variableTest(spec, environment, services));
  return { base: { app, workflow, variables }, infrastructure, environment, provider, services };
}

async function readApp(hub: KubeClient, namespace: string, signal: AbortSignal): Promise<PartialSnapshot['app']> {
  const { annotations = {} } = (await hub.get(Namespace, { name: namespace }, { signal }))?.metadata ?? {};
  return { name: annotations[deliveryAnnotations.appName] ?? namespace, description: annotations[descriptionAnnotation] ?? '' };
}

async function find<T extends KubeObject>(
  hub: KubeClient,
  kind: KindRef<T>,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
  signal: AbortSignal,
): Promise<T> {
  const found = await hub.get(kind, { namespace, name }, { signal });
  if (found) return found;
  const where = namespace === undefined ? '' : ` in namespace "${namespace}"`;
  throw new InputError(inputReasons.notFound, `There is no ${kind.kind} "${name}"${where}`);
}

function named(field: string, text: string | undefined): string {
  const name = text?.trim() ?? '';
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

/** Which variables runs may give a value though the workflow does not declare them: those of services. */
function variableTest(
  { phases = [] }: Workflow['spec'],
  { spec: { serviceOverrides = [] } }: Environment,
  services: readonly ServiceDefinition[],
): (name: string) => boolean {
  const lists = [
    ...services.map(one => one.spec.variables),
    ...serviceOverrides.map(one => one.variables),
    ...phases.map(one => one.variableOverrides),
  ];
  const names = new Set(lists.flatMap(list => (list ?? []).map(one => one.name)));
  return name => names.has(name);
}
