import type { KubeObject } from '../../../api/object.ts';
import { builtinClusterScoped } from '../../../render/kustomize/res-id.ts';
import { isJsonObject } from '../../../util/json.ts';

/** Of versions that are newer than the facts of kustomize. */
const newerKinds = [
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
  'networking.k8s.io/IPAddress',
  'networking.k8s.io/ServiceCIDR',
  'resource.k8s.io/DeviceClass',
  'resource.k8s.io/ResourceSlice',
  'storage.k8s.io/VolumeAttributesClass',
  'certificates.k8s.io/ClusterTrustBundle',
  'gateway.networking.k8s.io/GatewayClass',
];

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '');

const clusterKinds: ReadonlySet<string> = new Set([
  ...newerKinds,
  ...[...builtinClusterScoped].map(name => {
    const [apiVersion = '', kind = ''] = name.split(' ');
    return `${groupOf(apiVersion)}/${kind}`;
  }),
]);

/**
 * Objects with the namespace that they go to where they name none. Kinds of which nobody here knows whether they have namespaces are taken to have them: the
 * member knows better, and corrects it.
 */
export function placeInNamespace(objects: readonly KubeObject[], namespace: string): KubeObject[] {
  const isOfCluster = scopeTest(objects);
  return objects.map(obj => {
    const { namespace: own, ...metadata } = obj.metadata;
    if (isOfCluster(obj)) return own === undefined ? obj : { ...obj, metadata };
    return own === undefined || own === '' ? { ...obj, metadata: { ...obj.metadata, namespace } } : obj;
  });
}

/** What is built in, and what the definitions among the objects say. */
function scopeTest(objects: readonly KubeObject[]): (obj: KubeObject) => boolean {
  const defined = new Map<string, boolean>();
  for (const { kind, spec } of objects as readonly (KubeObject & { spec?: unknown })[]) {
    if (kind !== 'CustomResourceDefinition' || !isJsonObject(spec) || !isJsonObject(spec['names'])) continue;
    defined.set(`${String(spec['group'])}/${String(spec['names']['kind'])}`, spec['scope'] === 'Cluster');
  }
  return ({ apiVersion, kind }) => {
    const name = `${groupOf(apiVersion)}/${kind}`;
    return defined.get(name) ?? clusterKinds.has(name);
  };
}
