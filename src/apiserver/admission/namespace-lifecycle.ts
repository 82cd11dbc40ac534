import { forbiddenError, notFoundError } from '../../api/status.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { forbid } from './admission-errors.ts';

const namespaces = { group: '', resource: 'namespaces' };
const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** Refuses writes into namespaces that are not there, creation in those that are going away, and the deletion of system namespaces. */
export function namespaceLifecycle(): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    handles: ({ operation, namespace, kind }) =>
      operation === 'DELETE' ? isNamespace(kind) : operation !== 'CONNECT' && namespace !== '' && !isNamespace(kind),
    mutate: check,
  };
}

const isNamespace = (kind: { group: string; kind: string }) => kind.kind === 'Namespace' && kind.group === '';

function check(request: AdmissionRequest): void {
  const { operation, resource, namespace, name } = request;
  if (operation === 'DELETE') {
    if (immortal.has(name)) throw forbiddenError(namespaces, name, 'this namespace may not be deleted');
    return;
  }
  if (resource.group === 'authorization.k8s.io' && resource.resource === 'localsubjectaccessreviews') return;

  const ns = request.api.peek(namespaces, '', namespace);
  if (!ns) throw notFoundError(namespaces, namespace);
  if (operation !== 'CREATE' || !isTerminating(ns)) return;
  throw forbid(request, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
  ]);
}

function isTerminating(ns: { metadata: { deletionTimestamp?: string } } & Record<string, unknown>): boolean {
  return (ns['status'] as { phase?: string } | undefined)?.phase === 'Terminating';
}
