import type { PartialSnapshot, ScopeFacts } from './run-scope.ts';
import type { RunSnapshot, VariableSnapshot } from './run-snapshot.ts';

/**
 * What `${serviceVariable…}` stands for. What the run and the workflow give for a variable of the same name wins, then the phase, then the environment, whose
 * overrides stand after those of the service in the snapshot.
 */
export function serviceVariables(snapshot: PartialSnapshot, facts: ScopeFacts): Readonly<Record<string, string>> | undefined {
  const service = snapshot.services?.[facts.service ?? snapshot.service ?? ''];
  if (!service) return undefined;
  const values = { ...variablePaths(service.variables, 'serviceVariable', facts.secrets), ...facts.phaseVariables };
  const own = Object.keys(values).concat(service.variables.map(one => one.name));
  for (const name of own) if (Object.hasOwn(snapshot.variables, name)) values[name] = snapshot.variables[name]!;
  return values;
}

/** By name. Without the secrets, variables that have them are left out. */
export function variablePaths(
  variables: readonly VariableSnapshot[],
  root: 'serviceVariable' | 'environmentVariable',
  secrets: ReadonlyMap<string, string> | undefined,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, value, secretRef } of variables) {
    const found = secretRef ? secrets?.get(`${root}.${name}`) : value;
    if (found === undefined) delete values[name];
    else values[name] = found;
  }
  return values;
}

/** Where the secrets of a run are, by the path of the expression that gives them. A later variable of the same name wins. */
export function secretsOf(snapshot: RunSnapshot): ReadonlyMap<string, { readonly name: string; readonly key: string }> {
  const places = new Map<string, { readonly name: string; readonly key: string }>();
  const note = (root: string, variables: readonly VariableSnapshot[]) => {
    for (const { name, secretRef } of variables) {
      if (secretRef) places.set(`${root}.${name}`, secretRef);
      else places.delete(`${root}.${name}`);
    }
  };
  note('environmentVariable', snapshot.environment.variables);
  note('serviceVariable', snapshot.services[snapshot.service]?.variables ?? []);
  return places;
}
