import type { PartialSnapshot, ScopeFacts } from './run-scope.ts';
import type { RunSnapshot, VariableSnapshot } from './run-snapshot.ts';

/** The value of a variable as whoever declared it wrote it: expressions in it stand for something. Values that runs give and secrets are what they are. */
export class VariableText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type VariableValues = Record<string, string | VariableText>;

/**
 * What `${serviceVariable…}` stands for. What the run and the workflow give for a variable of the same name wins, then the phase, then the environment, whose
 * overrides stand after those of the service in the snapshot.
 */
export function serviceVariables(snapshot: PartialSnapshot, facts: ScopeFacts): Readonly<VariableValues> | undefined {
  const name = facts.service ?? snapshot.service ?? '';
  const service = snapshot.services?.[name];
  if (!service) return undefined;
  const own = variableValues(service.variables, secretRoot(snapshot, name), facts.secrets);
  const phase = Object.entries(facts.phaseVariables ?? {}).map(([key, text]) => [key, new VariableText(text)] as const);
  const values: VariableValues = { ...own, ...Object.fromEntries(phase) };
  const names = Object.keys(values).concat(service.variables.map(one => one.name));
  for (const key of names) if (Object.hasOwn(snapshot.variables, key)) values[key] = snapshot.variables[key]!;
  return values;
}

export const environmentVariables = ({ environment }: PartialSnapshot, { secrets }: ScopeFacts): Readonly<VariableValues> | undefined =>
  environment && variableValues(environment.variables, 'environmentVariable', secrets);

/** By name; a later one of the same name wins. Without the secrets, variables that have them are left out. */
function variableValues(
  variables: readonly VariableSnapshot[],
  root: string,
  secrets: ReadonlyMap<string, string> | undefined,
): VariableValues {
  const values: VariableValues = {};
  for (const { name, value, secretRef } of variables) {
    const secret = secrets?.get(`${root}.${name}`);
    if (secretRef ? secret === undefined : value === undefined) delete values[name];
    else values[name] = secretRef ? secret! : new VariableText(value!);
  }
  return values;
}

/** How secrets of a service are called: those of the service of the run by the path of their expression. */
const secretRoot = ({ service }: PartialSnapshot, name: string): string =>
  name === service ? 'serviceVariable' : `services.${name}.serviceVariable`;

/** Where the secrets of a run are, by the path of the expression that gives them; those of services of phases by the name of the service besides. */
export function secretsOf(snapshot: RunSnapshot): ReadonlyMap<string, { readonly name: string; readonly key: string }> {
  const places = new Map<string, { readonly name: string; readonly key: string }>();
  const note = (root: string, variables: readonly VariableSnapshot[]) => {
    for (const { name, secretRef } of variables) {
      if (secretRef) places.set(`${root}.${name}`, secretRef);
      else places.delete(`${root}.${name}`);
    }
  };
  note('environmentVariable', snapshot.environment.variables);
  for (const [name, { variables }] of Object.entries(snapshot.services)) note(secretRoot(snapshot, name), variables);
  return places;
}
