import type { KubeObject } from '../../api/object.ts';
import type { Pki } from '../../pki/ensure-pki.ts';
import { jsonEqual } from '../../util/json.ts';
import type { ClusterApi } from '../cluster-api.ts';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const target = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

/** Tells aggregated API servers by which authorities they know clients, and by which headers those this server speaks for. */
export async function publishAuthentication(api: ClusterApi, pki: Pick<Pki, 'authority' | 'frontProxyAuthority'>): Promise<void> {
  const data = {
    'client-ca-file': pki.authority.certificate,
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-client-ca-file': pki.frontProxyAuthority.certificate,
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  };
  const present = api.peek(configMaps, target.namespace, target.name);
  const fresh: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...target }, data };
  if (!present) await api.create(configMaps, fresh, { fieldManager: 'kube-apiserver' });
  else if (!jsonEqual(present.data, data)) await api.update(configMaps, { ...present, data }, { fieldManager: 'kube-apiserver' });
}
