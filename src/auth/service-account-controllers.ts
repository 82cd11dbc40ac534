import type { ConfigMap, Namespace, Secret, ServiceAccount } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import type { Change, ClusterApi } from '../apiserver/cluster-api.ts';
import type { ControllerOptions, RunningController } from '../apiserver/controllers/running-controller.ts';
import { workQueue } from '../runtime/work-queue.ts';
import { jsonEqual } from '../util/json.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';

export interface NamespaceFurnitureDeps extends ControllerOptions {
  /** PEM of the authority that signed the server's certificate. */
  rootCa: string;
  signal?: AbortSignal;
}

const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
const accounts = { group: '', version: 'v1', resource: 'serviceaccounts' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const secrets = { group: '', version: 'v1', resource: 'secrets' };
const fieldManager = 'kube-controller-manager';
const rootCaName = 'kube-root-ca.crt';
const description = 'kubernetes.io/description';
const rootCaDescription =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Every active namespace has a ServiceAccount `default` and a ConfigMap `kube-root-ca.crt`. */
export function namespaceFurnitureController(api: ClusterApi, deps: NamespaceFurnitureDeps): RunningController {
  const queue = workQueue({ ...deps, concurrency: 4, reconcile: furnish });
  const subscription = api.subscribe(change => {
    const name = namespaceToFurnish(change);
    if (name !== undefined) queue.add(name);
  });
  for (const namespace of api.peekAll(namespaces)) queue.add(namespace.metadata.name ?? '');
  return running(queue, subscription);

  async function furnish(name: string): Promise<void> {
    const namespace = api.peek(namespaces, '', name) as (KubeObject & Namespace) | undefined;
    if (!namespace || namespace.metadata.deletionTimestamp !== undefined || namespace.status?.phase === 'Terminating') return;
    if (!api.peek(accounts, name, 'default'))
      await createIn(api, accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: name } });
    await publishRootCa(name);
  }

  async function publishRootCa(namespace: string): Promise<void> {
    const data = { 'ca.crt': deps.rootCa };
    const present = api.peek(configMaps, namespace, rootCaName) as (KubeObject & ConfigMap) | undefined;
    const annotations = { ...present?.metadata.annotations };
    if (!present) {
      const metadata = { name: rootCaName, namespace, annotations: { [description]: rootCaDescription } };
      await createIn(api, configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return;
    }
    if (jsonEqual(present.data, data) && (annotations[description] ?? '') !== '') return;
    annotations[description] = rootCaDescription;
    await api.update(configMaps, { ...present, metadata: { ...present.metadata, annotations }, data }, { fieldManager });
  }
}

function namespaceToFurnish({ resource, type, namespace, name }: Change): string | undefined {
  if (resource.group !== '') return undefined;
  if (resource.resource === 'namespaces') return type === 'DELETED' ? undefined : name;
  if (resource.resource === 'serviceaccounts') return type === 'DELETED' && name === 'default' ? namespace : undefined;
  return resource.resource === 'configmaps' && name === rootCaName && type !== 'ADDED' ? namespace : undefined;
}

// A namespace may end while its furniture is on the way; that is no failure.
async function createIn(api: ClusterApi, gvr: typeof accounts, obj: KubeObject): Promise<void> {
  try {
    await api.create(gvr, obj, { fieldManager });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const isTerminating = error.details?.causes?.some(cause => cause.reason === 'NamespaceTerminating') ?? false;
    if (error.reason !== 'AlreadyExists' && error.reason !== 'NotFound' && !isTerminating) throw error;
  }
}

export interface TokenSecretDeps extends NamespaceFurnitureDeps {
  tokens: ServiceAccountTokens;
}

const accountName = 'kubernetes.io/service-account.name';
const accountUid = 'kubernetes.io/service-account.uid';

/** Fills Secrets of type kubernetes.io/service-account-token, and removes them with their ServiceAccount. */
export function tokenSecretController(api: ClusterApi, deps: TokenSecretDeps): RunningController {
  const queue = workQueue({ ...deps, concurrency: 4, reconcile });
  const subscription = api.subscribe(change => {
    if (change.resource.group !== '') return;
    if (change.resource.resource === 'serviceaccounts') {
      // Only an end or a new beginning matters to tokens.
      if (change.type !== 'MODIFIED') for (const secret of api.peekAll(secrets, change.namespace)) note(secret, change.name);
      return;
    }
    if (change.resource.resource === 'secrets') note(change.obj);
  });
  for (const secret of api.peekAll(secrets)) note(secret);
  return running(queue, subscription);

  function note(secret: KubeObject, account?: string): void {
    if ((secret as Secret).type !== 'kubernetes.io/service-account-token') return;
    const named = secret.metadata.annotations?.[accountName] ?? '';
    if (named === '' || (account !== undefined && named !== account)) return;
    queue.add(`${secret.metadata.namespace ?? ''}/${secret.metadata.name ?? ''}/${named}`);
  }

  async function reconcile(key: string): Promise<void> {
    const [namespace = '', name = '', owner = ''] = key.split('/');
    const account = api.peek(accounts, namespace, owner) as (KubeObject & ServiceAccount) | undefined;
    const secret = api.peek(secrets, namespace, name) as (KubeObject & Secret) | undefined;
    if (!secret) {
      if (account) await forgetReference(account, name);
      return;
    }
    if (secret.metadata.deletionTimestamp !== undefined || secret.type !== 'kubernetes.io/service-account-token') return;
    const wantedUid = secret.metadata.annotations?.[accountUid] ?? '';
    if (!account || (wantedUid !== '' && wantedUid !== account.metadata.uid)) await remove(secret);
    else await fill(secret, account);
  }

  async function remove({ metadata: { namespace = '', name = '', uid } }: KubeObject): Promise<void> {
    const options = uid === undefined ? {} : { preconditions: { uid } };
    await unlessOvertaken(() => api.delete(secrets, { namespace, name }, options));
  }

  async function fill(secret: KubeObject & Secret, account: KubeObject): Promise<void> {
    const data = { ...secret.data };
    const rootCa = encode(deps.rootCa);
    const isFull = (data['token'] ?? '') !== '' && (data['namespace'] ?? '') !== '' && data['ca.crt'] === rootCa;
    if (isFull) return;
    data['ca.crt'] = rootCa;
    data['namespace'] ||= encode(secret.metadata.namespace ?? '');
    data['token'] ||= encode(deps.tokens.issueLegacy(account, secret));
    const annotations = {
      ...secret.metadata.annotations,
      [accountName]: account.metadata.name ?? '',
      [accountUid]: account.metadata.uid ?? '',
    };
    await unlessOvertaken(() => api.update(secrets, { ...secret, metadata: { ...secret.metadata, annotations }, data }, { fieldManager }));
  }

  async function forgetReference(account: KubeObject & ServiceAccount, secret: string): Promise<void> {
    const left = account.secrets?.filter(ref => ref.name !== secret) ?? [];
    if (left.length === (account.secrets?.length ?? 0)) return;
    const { secrets: _old, ...rest } = account;
    await unlessOvertaken(() => api.update(accounts, left.length > 0 ? { ...rest, secrets: left } : rest, { fieldManager }));
  }
}

// Somebody else was quicker: their change comes to us as an event.
async function unlessOvertaken(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof StatusError) || (error.reason !== 'Conflict' && error.reason !== 'NotFound')) throw error;
  }
}

const encode = (text: string) => Buffer.from(text).toString('base64');

function running(queue: { idle(): Promise<void> } & Disposable, subscription: Disposable): RunningController {
  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };
}
