import { namedType, stringSlice, stringType, type GoType } from '../go/go-type.ts';
import { GoFunction, GoObject, typed, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';

/** What a chart may ask about the cluster it is rendered for. */
export interface Capabilities {
  /** Such as `v1.36.3`. */
  readonly kubeVersion: string;
  /** Such as `apps/v1` and `apps/v1/Deployment`. */
  readonly apiVersions: readonly string[];
}

export const helmVersion = 'v4.3.1';

/** What Helm 4.3 assumes when there is no cluster to ask. */
export const defaultCapabilities: Capabilities = {
  kubeVersion: 'v1.37.0',
  apiVersions: [
    'v1',
    ...versions('admissionregistration.k8s.io', 'v1', 'v1alpha1', 'v1beta1'),
    ...versions('internal.apiserver.k8s.io', 'v1alpha1'),
    ...versions('apps', 'v1', 'v1beta1', 'v1beta2'),
    ...versions('authentication.k8s.io', 'v1', 'v1alpha1', 'v1beta1'),
    ...versions('authorization.k8s.io', 'v1', 'v1beta1'),
    ...versions('autoscaling', 'v1', 'v2'),
    ...versions('batch', 'v1', 'v1beta1'),
    ...versions('certificates.k8s.io', 'v1', 'v1beta1', 'v1alpha1'),
    ...versions('coordination.k8s.io', 'v1alpha2', 'v1beta1', 'v1'),
    ...versions('discovery.k8s.io', 'v1', 'v1beta1'),
    ...versions('events.k8s.io', 'v1', 'v1beta1'),
    ...versions('extensions', 'v1beta1'),
    ...versions('flowcontrol.apiserver.k8s.io', 'v1', 'v1beta1', 'v1beta2', 'v1beta3'),
    ...versions('lifecycle.k8s.io', 'v1alpha1'),
    ...versions('networking.k8s.io', 'v1', 'v1beta1'),
    ...versions('node.k8s.io', 'v1', 'v1alpha1', 'v1beta1'),
    ...versions('policy', 'v1', 'v1beta1'),
    ...versions('rbac.authorization.k8s.io', 'v1', 'v1beta1', 'v1alpha1'),
    ...versions('resource.k8s.io', 'v1', 'v1beta2', 'v1beta1', 'v1alpha3'),
    ...versions('scheduling.k8s.io', 'v1alpha3', 'v1beta1', 'v1'),
    ...versions('storage.k8s.io', 'v1beta1', 'v1', 'v1alpha1'),
    ...versions('storagemigration.k8s.io', 'v1', 'v1beta1'),
    ...versions('apiextensions.k8s.io', 'v1beta1', 'v1'),
  ],
};

function versions(group: string, ...all: string[]): string[] {
  return all.map(version => `${group}/${version}`);
}

const pointer = (name: string): GoType => ({ name, kind: 'ptr' });
const struct = (name: string): GoType => ({ name, kind: 'struct' });

function ordered(fields: GoMap): GoMap {
  fields.isOrdered = true;
  return fields;
}

/** A struct whose fields templates may read, and some methods. */
class Struct extends GoObject {
  readonly goType: GoType;
  readonly #fields: Readonly<Record<string, GoValue>>;
  readonly #methods: Readonly<Record<string, GoFunction>>;
  readonly #text: string;
  readonly #json: GoMap;

  constructor(
    goType: GoType,
    parts: { fields: Readonly<Record<string, GoValue>>; methods?: Readonly<Record<string, GoFunction>>; text: string; json?: GoMap },
  ) {
    super();
    this.goType = goType;
    this.#fields = parts.fields;
    this.#methods = parts.methods ?? {};
    this.#text = parts.text;
    this.#json = ordered(parts.json ?? new Map(Object.entries(parts.fields)));
  }

  override field(name: string): { value: GoValue } | undefined {
    return Object.hasOwn(this.#fields, name) ? { value: this.#fields[name] } : undefined;
  }

  override method(name: string): GoFunction | undefined {
    return Object.hasOwn(this.#methods, name) ? this.#methods[name] : undefined;
  }

  override toJson(): GoValue {
    return this.#json;
  }

  print(): string {
    return this.#text;
  }
}

/** `.Capabilities` of a chart. */
export function capabilitiesValue({ kubeVersion, apiVersions }: Capabilities): GoObject {
  const parsed = parseKubeVersion(kubeVersion);
  const list = typed<GoSlice>([...apiVersions], namedType('common.VersionSet', stringSlice));
  const known = new Set(apiVersions);
  list.goMethods = new Map([['Has', new GoFunction([stringType], ([version]) => known.has(version as string))]]);
  const version = new Struct(struct('common.KubeVersion'), {
    fields: { Version: parsed.git, Major: parsed.major, Minor: parsed.minor },
    methods: { String: new GoFunction([], () => parsed.normal), GitVersion: new GoFunction([], () => parsed.git) },
    // An action prints a KubeVersion by its method; as part of another value it shows its fields.
    text: parsed.normal,
  });
  const helm = new Struct(struct('version.BuildInfo'), {
    fields: { Version: helmVersion, GitCommit: '', GitTreeState: '', GoVersion: goVersion, KubeClientVersion: kubeClientVersion },
    text: `{${helmVersion}   ${goVersion} ${kubeClientVersion}}`,
    json: new Map(Object.entries({ version: helmVersion, go_version: goVersion, kube_client_version: kubeClientVersion })),
  });
  const fields = { KubeVersion: version, APIVersions: list, HelmVersion: helm };
  return new Struct(pointer('*common.Capabilities'), {
    fields,
    text: `&{{${parsed.git} ${parsed.normal} ${parsed.major} ${parsed.minor}} [${apiVersions.join(' ')}] ${helm.print()}}`,
  });
}

const goVersion = 'go1.26.8';
const kubeClientVersion = 'v1.37';

/** Reads `1.36`, `v1.36.3` or `v1.36.3-gke.100`. Throws when it is no version. */
export function parseKubeVersion(text: string): { git: string; normal: string; major: string; minor: string } {
  const match = /^\s*v?([0-9]+(?:\.[0-9]+)*)([^0-9].*)?$/.exec(text);
  const parts = match?.[1]?.split('.') ?? [];
  if (parts.length < 2) throw new Error(`could not parse ${JSON.stringify(text)} as version`);
  return { git: text.startsWith('v') ? text : `v${text}`, normal: `v${parts.join('.')}`, major: parts[0]!, minor: parts[1]! };
}
