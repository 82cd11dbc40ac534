import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { templateNamespace } from './template-namespace.ts';
import { checkMcsDependencies } from './mcs-dependencies.ts';
import { mcsConditions, type Check } from './mcs-status.ts';
import { checkDependencies, checkReferences, type TemplateLookup } from './validate-services.ts';

export interface McsFault {
  readonly check: Check;
  readonly message: string;
}

/** What keeps a MultiClusterService from being delivered anywhere: the first check that fails, and how. */
export function findFault(
  mcs: MultiClusterService,
  known: TemplateLookup,
  find: (name: string) => MultiClusterService | undefined,
): McsFault | undefined {
  const services = mcs.spec.serviceSpec?.services ?? [];
  const references = checkReferences(services, templateNamespace(mcs), known);
  if (references.length > 0)
    return { check: mcsConditions.references, message: `some services have invalid templates: ${references.join('; ')}` };
  const dependencies = checkDependencies(services);
  if (dependencies.length > 0)
    return { check: mcsConditions.serviceDependencies, message: `some services have invalid dependencies: ${dependencies.join('; ')}` };
  const needed = checkMcsDependencies(mcs, find);
  return needed.length > 0 ? { check: mcsConditions.dependencies, message: needed.join('; ') } : undefined;
}
