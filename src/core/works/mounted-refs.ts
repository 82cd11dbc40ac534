import type { KubeObject } from '../../api/object.ts';
import type { ObjectRef } from '../delivery/object-ref.ts';

interface Named {
  readonly name?: string;
}

interface PodSpec {
  readonly volumes?: readonly {
    readonly configMap?: Named;
    readonly secret?: { readonly secretName?: string };
    readonly projected?: { readonly sources?: readonly { readonly configMap?: Named; readonly secret?: Named }[] };
  }[];
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
}

interface Container {
  readonly envFrom?: readonly { readonly configMapRef?: Named; readonly secretRef?: Named }[];
  readonly env?: readonly { readonly valueFrom?: { readonly configMapKeyRef?: Named; readonly secretKeyRef?: Named } }[];
}

/** The ConfigMaps and Secrets that the pods of a workload use: as files, or as variables, which pods see only when they start. */
export function mountedRefs({ metadata, ...rest }: KubeObject): ObjectRef[] {
  const pod = (rest as { spec?: { template?: { spec?: PodSpec } } }).spec?.template?.spec ?? {};
  const { volumes = [], containers = [], initContainers = [] } = pod;
  const projected = volumes.flatMap(one => one.projected?.sources ?? []);
  const all = [...containers, ...initContainers];
  const sources = all.flatMap(one => one.envFrom ?? []);
  const values = all.flatMap(one => one.env ?? []).map(one => one.valueFrom);
  const configMaps = [
    ...volumes.map(one => one.configMap?.name),
    ...projected.map(one => one.configMap?.name),
    ...sources.map(one => one.configMapRef?.name),
    ...values.map(one => one?.configMapKeyRef?.name),
  ];
  const secrets = [
    ...volumes.map(one => one.secret?.secretName),
    ...projected.map(one => one.secret?.name),
    ...sources.map(one => one.secretRef?.name),
    ...values.map(one => one?.secretKeyRef?.name),
  ];
  return [...refsOf('ConfigMap', configMaps, metadata.namespace), ...refsOf('Secret', secrets, metadata.namespace)];
}

function refsOf(kind: string, names: readonly (string | undefined)[], namespace: string | undefined): ObjectRef[] {
  const known = new Set(names.filter(name => name !== undefined && name !== ''));
  return [...known].map(name => ({ group: '', version: 'v1', kind, ...(namespace !== undefined && { namespace }), name: name! }));
}
