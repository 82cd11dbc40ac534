import type { Chart, ChartDependency } from '../chart/chart.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { toJson } from '../go/go-json.ts';
import { anyMap, namedType, stringMap, stringType } from '../go/go-type.ts';
import { GoError, GoFunction, isMap, typed, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';
import { toGoValue } from '../go/to-go-value.ts';
import type { Json } from '../../util/json.ts';

/** `.Chart` of a template: what Chart.yaml says, under the names of Go. */
export function chartValue({ metadata, parent }: Chart): GoMap {
  const annotations: GoMap = typed<GoMap>(new Map(Object.entries(metadata.annotations ?? {})), stringMap);
  if (!metadata.annotations) annotations.isNil = true;
  return new Map<string, GoValue>(
    Object.entries({
      Name: metadata.name,
      Home: metadata.home,
      Sources: [...metadata.sources],
      Version: metadata.version,
      Description: metadata.description,
      Keywords: [...metadata.keywords],
      Maintainers: metadata.maintainers.map(
        ({ name, email, url }): GoMap => new Map(Object.entries({ Name: name, Email: email, URL: url })),
      ),
      Icon: metadata.icon,
      APIVersion: metadata.apiVersion,
      Condition: metadata.condition,
      Tags: metadata.tags,
      AppVersion: metadata.appVersion,
      Deprecated: metadata.deprecated,
      Annotations: annotations,
      KubeVersion: metadata.kubeVersion,
      Dependencies: (metadata.dependencies ?? []).map(dependencyValue),
      Type: metadata.type,
      IsRoot: parent === undefined,
    }),
  );
}

function dependencyValue(dependency: ChartDependency): GoMap {
  return new Map<string, GoValue>(
    Object.entries({
      Name: dependency.name,
      Version: dependency.version,
      Repository: dependency.repository,
      Condition: dependency.condition,
      Tags: [...dependency.tags] as GoSlice,
      Enabled: dependency.enabled,
      ImportValues: dependency.importValues.map(value => toGoValue(value as Json)),
      Alias: dependency.alias,
    }),
  );
}

/** The type of `.Values` and of what holds it. */
export const valuesType = namedType('common.Values', anyMap);

/** `.Values`: a map with a name of its own and a few methods. */
export function valuesValue(values: GoMap): GoMap {
  const named = typed<GoMap>(values, valuesType);
  named.goMethods = new Map<string, GoFunction>([
    ['AsMap', new GoFunction([], () => new Map(named))],
    ['YAML', new GoFunction([], () => writeYaml(toJson(named)))],
    ['Table', new GoFunction([stringType], ([path]) => valuesValue(table(named, (path as string).split('.'))))],
    ['PathValue', new GoFunction([stringType], ([path]) => pathValue(named, path as string))],
  ]);
  return named;
}

function table(values: GoMap, path: readonly string[]): GoMap {
  let at = values;
  for (const name of path) {
    const next = at.get(name);
    if (!isMap(next)) throw new GoError(`${JSON.stringify(name)} is not a table`);
    at = next;
  }
  return at;
}

function pathValue(values: GoMap, path: string): GoValue {
  if (path === '') throw new GoError('YAML path cannot be empty');
  const names = path.split('.');
  const holder = table(values, names.slice(0, -1));
  const value = holder.get(names.at(-1)!);
  if (value === undefined || isMap(value)) throw new GoError(`${JSON.stringify(names.at(-1))} is not a value`);
  return value;
}
