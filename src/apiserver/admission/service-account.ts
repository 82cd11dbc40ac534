import { notFoundError } from '../../api/status.ts';
import type { Container, EphemeralContainer, Pod, PodSpec, ServiceAccount, Volume } from '../../api/kubernetes.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { forbid, isPod } from './admission-errors.ts';
import { randomSuffix } from './random-suffix.ts';

const serviceAccounts = { group: '', resource: 'serviceaccounts' };
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const tokenVolumePrefix = 'kube-api-access-';
const mirrorAnnotation = 'kubernetes.io/config.mirror';
const enforceAnnotation = 'kubernetes.io/enforce-mountable-secrets';
// The account `default` is made by a controller a moment after its namespace.
const waitForDefaultMs = 1500;

/** Gives every pod a service account and its token, and refuses accounts that are not there. */
export function serviceAccountPlugin(): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    handles: request =>
      isPod(request) &&
      request.object !== undefined &&
      ((request.operation === 'CREATE' && request.subresource === '') ||
        (request.operation === 'UPDATE' && request.subresource === 'ephemeralcontainers')),
    mutate,
    validate,
  };
}

async function mutate(request: AdmissionRequest): Promise<void> {
  if (request.operation !== 'CREATE') return;
  const pod = request.object as unknown as Pod & { spec: PodSpec };
  if (pod.metadata?.annotations?.[mirrorAnnotation] !== undefined) return checkMirrorPod(request, pod);
  const { spec } = pod;
  spec.serviceAccountName ||= 'default';
  spec.serviceAccount = spec.serviceAccountName;

  const account = await findAccount(request, spec.serviceAccountName);
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
    spec.imagePullSecrets = account.imagePullSecrets.map(({ name }) => ({ ...(name !== undefined && { name }) }));
}

async function validate(request: AdmissionRequest): Promise<void> {
  const pod = request.object as unknown as Pod & { spec: PodSpec };
  if (request.operation === 'CREATE' && pod.metadata?.annotations?.[mirrorAnnotation] !== undefined) return checkMirrorPod(request, pod);
  const name = pod.spec.serviceAccountName;
  if (!name) throw forbid(request, `no service account specified for pod ${request.namespace}/${pod.metadata?.name ?? ''}`);
  const account = await findAccount(request, name);
  if (!isTrue(account.metadata?.annotations?.[enforceAnnotation])) return;
  const problem = findForeignSecret(pod.spec, account, request.operation === 'CREATE');
  if (problem !== undefined) throw forbid(request, problem);
}

async function findAccount(request: AdmissionRequest, name: string): Promise<ServiceAccount> {
  const { api, namespace, signal } = request;
  const giveUpAt = Date.now() + (name === 'default' ? waitForDefaultMs : 0);
  for (;;) {
    const account = api.peek(serviceAccounts, namespace, name);
    if (account) return account as unknown as ServiceAccount;
    if (Date.now() >= giveUpAt || signal.aborted) break;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  const missing = notFoundError({ group: '', resource: 'serviceaccount' }, name);
  throw forbid(request, `error looking up service account ${namespace}/${name}: ${missing.message}`);
}

function mountToken(spec: PodSpec): void {
  const present = spec.volumes?.find(volume => volume.name.startsWith(tokenVolumePrefix));
  const name = present?.name ?? `${tokenVolumePrefix}${randomSuffix()}`;
  let isNeeded = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (container.volumeMounts?.some(mount => mount.mountPath === tokenPath)) continue;
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: tokenPath }];
    isNeeded = true;
  }
  if (!present && isNeeded) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
      ],
      defaultMode: 420,
    },
  };
}

function checkMirrorPod(request: AdmissionRequest, { spec }: { spec: PodSpec }): void {
  if (spec.serviceAccountName) throw forbid(request, 'a mirror pod may not reference service accounts');
  if (JSON.stringify(spec).match(/"(secret|secretRef|secretKeyRef|imagePullSecrets|secretName)":/))
    throw forbid(request, 'a mirror pod may not reference secrets');
  if (spec.volumes?.some(volume => volume.projected?.sources?.some(source => source.serviceAccountToken)))
    throw forbid(request, 'a mirror pod may not use ServiceAccountToken volume projections');
}

function findForeignSecret(spec: PodSpec, account: ServiceAccount, isCreate: boolean): string | undefined {
  const mountable = new Set(account.secrets?.map(secret => secret.name));
  const owner = `is not allowed because service account ${account.metadata?.name} does not reference that`;
  if (!isCreate) return foreignEnv('ephemeral container', spec.ephemeralContainers ?? [], mountable, owner);
  for (const { secret } of spec.volumes ?? [])
    if (secret && !mountable.has(secret.secretName)) return `volume with secret.secretName="${secret.secretName}" ${owner} secret`;
  const inEnv =
    foreignEnv('init container', spec.initContainers ?? [], mountable, owner) ?? foreignEnv('container', spec.containers, mountable, owner);
  if (inEnv !== undefined) return inEnv;
  const pullable = new Set(account.imagePullSecrets?.map(secret => secret.name));
  const i = (spec.imagePullSecrets ?? []).findIndex(({ name }) => !pullable.has(name));
  return i < 0 ? undefined : `imagePullSecrets[${i}].name="${spec.imagePullSecrets?.[i]?.name}" ${owner} imagePullSecret`;
}

function foreignEnv(
  what: string,
  containers: readonly (Container | EphemeralContainer)[],
  mountable: Set<string | undefined>,
  owner: string,
): string | undefined {
  for (const { name, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef?.name;
      if (valueFrom?.secretKeyRef && !mountable.has(secret))
        return `${what} ${name} with envVar ${variable} referencing secret.secretName="${secret}" ${owner} secret`;
    }
    for (const { secretRef } of envFrom)
      if (secretRef && !mountable.has(secretRef.name))
        return `${what} ${name} with envFrom referencing secret.secretName="${secretRef.name}" ${owner} secret`;
  }
  return undefined;
}

const isTrue = (text: string | undefined) => text !== undefined && ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text);
