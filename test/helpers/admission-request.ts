import { parseApiVersion, type KubeObject } from '../../src/api/object.ts';
import type { AdmissionRequest } from '../../src/apiserver/admission/admission.ts';
import type { ClusterApi } from '../../src/apiserver/cluster-api.ts';

/** An admission request that remembers what plugins said. */
export type RecordedRequest = AdmissionRequest & { warnings: string[]; annotations: Record<string, string> };

/** A request of user `alice` about an object of a kind in the catalog. A create unless said otherwise. */
export function admissionRequest(api: ClusterApi, parts: Partial<AdmissionRequest>): RecordedRequest {
  const obj: KubeObject | undefined = parts.object ?? parts.oldObject;
  const gv = parseApiVersion(obj?.apiVersion ?? '');
  const resource = parts.resource ?? api.catalog.findKind({ ...gv, kind: obj?.kind ?? '' });
  if (!resource) throw new Error(`no kind "${obj?.kind}"`);
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  return {
    operation: 'CREATE',
    resource,
    subresource: '',
    kind: { group: resource.group, version: resource.version, kind: resource.kind },
    namespace: obj?.metadata.namespace ?? '',
    name: obj?.metadata.name ?? '',
    object: undefined,
    oldObject: undefined,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' } as unknown as KubeObject,
    user: { name: 'alice', groups: ['system:authenticated'] },
    dryRun: false,
    api,
    signal: new AbortController().signal,
    warn: text => void warnings.push(text),
    auditAnnotation: (key, value) => void (annotations[key] = value),
    warnings,
    annotations,
    ...parts,
  };
}
