import { until, type UntilStep } from './case.ts';

export const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const widgetPath = '/apis/{{group}}/v1/namespaces/{{ns}}/widgets';

interface SampleCrd {
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly schema?: unknown;
  readonly subresources?: unknown;
  readonly scope?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly versions?: readonly unknown[];
  readonly version?: Readonly<Record<string, unknown>>;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A CustomResourceDefinition of Widgets in the case's own group, with the parts that matter to the case. */
export function crd({
  spec,
  status,
  schema,
  subresources,
  scope = 'Namespaced',
  shortNames,
  categories,
  versions,
  version,
  extra,
}: SampleCrd = {}): object {
  const properties = { spec: spec ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, ...(status ? { status } : {}) };
  const one = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema ?? { type: 'object', properties } },
    ...(subresources ? { subresources } : {}),
    ...version,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.{{group}}' },
    spec: {
      group: '{{group}}',
      scope,
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        ...(shortNames ? { shortNames } : {}),
        ...(categories ? { categories } : {}),
      },
      versions: versions ?? [one],
      ...extra,
    },
  };
}

export function widget(spec: unknown, metadata: Record<string, unknown> = {}, rest: Record<string, unknown> = {}): object {
  return {
    apiVersion: '{{group}}/v1',
    kind: 'Widget',
    metadata: { name: 'a', ...metadata },
    ...(spec === undefined ? {} : { spec }),
    ...rest,
  };
}

interface Conditions {
  status?: { conditions?: { type: string; status: string }[] };
}

export const established: UntilStep = until(`${crdPath}/widgets.{{group}}`, body =>
  Boolean((body as Conditions).status?.conditions?.some(c => c.type === 'Established' && c.status === 'True')),
);
export const served: UntilStep = until('/apis/{{group}}/v1/widgets', (_, code) => code === 200);
