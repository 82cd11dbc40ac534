import { createHash } from 'node:crypto';
import { ConfigMap, Secret } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { toYaml } from '../../render/helm/to-yaml.ts';
import { findCondition } from '../../api/conditions.ts';
import { jsonEqual, type JsonObject } from '../../util/json.ts';
import { cdConditions, type Step } from './cd-status.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { k0rdentLabels } from './kinds/group.ts';
import { servedKind } from './kinds/served-only.ts';
import { componentLabels } from './report-status.ts';
import { asObject, ownedBy, refTo, secretRef, specOf, statusOf, type ReadObject } from './read-hub-object.ts';

export interface InputsDeps {
  readonly hub: KubeClient;
  readonly read: ReadObject;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/** How the objects are that a ClusterDeployment names for its chart, and what they say to it. */
export interface DeploymentInputs {
  readonly dataSource?: Step;
  readonly clusterDataSource?: Step;
  readonly authentication?: Step;
  readonly auditPolicy?: Step;
  readonly values: JsonObject;
}

type Part = Partial<DeploymentInputs>;

const authKey = 'config';
const auditKey = 'policy';
const failed = (message: string): Step => ({ status: 'False', message });
const done: Step = { status: 'True' };

/** Writes what charts of clusters read: the configuration of authentication, the audit policy, the place in a database. */
export async function prepareInputs(cd: ClusterDeployment, deps: InputsDeps): Promise<DeploymentInputs> {
  const parts = [await authentication(cd, deps), await auditPolicy(cd, deps), await dataSource(cd, deps)];
  return { ...Object.assign({}, ...parts), values: Object.assign({}, ...parts.map(one => one.values ?? {})) as JsonObject };
}

async function authentication(cd: ClusterDeployment, deps: InputsDeps): Promise<Part> {
  const { namespace = '', name = '' } = cd.metadata;
  const target = { namespace, name: `${name}-auth-config` };
  const wanted = cd.spec.clusterAuth;
  if (!wanted) {
    if (findCondition(cd, cdConditions.authentication)) await deps.hub.delete(Secret, target, { signal: deps.signal });
    return {};
  }
  const found = await deps.read(refTo(servedKind('ClusterAuthentication'), namespace, wanted));
  if (!found) return { authentication: failed(`failed to get ClusterAuthentication ${namespace}/${wanted}: not found`) };
  const spec = specOf(found);
  const given = asObject(spec['authenticationConfiguration']);
  if (Object.keys(given).length === 0) return { authentication: done };
  const ca = await certificateOf(asObject(spec['caSecret']), namespace, deps);
  if (ca instanceof Error) return { authentication: failed(`failed to get AuthenticationConfiguration: ${ca.message}`) };
  const text = authenticationText(given, ca);
  await ensure(deps, Secret, cd, { metadata: target, data: { [authKey]: Buffer.from(text).toString('base64') } });
  const values = {
    auth: {
      configSecret: { name: target.name, key: authKey, hash: shortHash(text) },
      ...(given['anonymous'] !== undefined && { configWithAnon: true }),
    },
  };
  return { authentication: done, values };
}

function authenticationText({ jwt = [], anonymous }: JsonObject, ca: string | undefined): string {
  const issuers = (Array.isArray(jwt) ? jwt : []).map(one => {
    const issuer = asObject(asObject(one)['issuer']);
    return ca === undefined ? one : { ...asObject(one), issuer: { ...issuer, certificateAuthority: ca } };
  });
  return `${toYaml({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: issuers,
    ...(anonymous !== undefined && { anonymous }),
  })}\n`;
}

/** A Secret of another namespace is not for whoever may write here. */
async function certificateOf(caSecret: JsonObject, own: string, { read }: InputsDeps): Promise<string | undefined | Error> {
  const { name, key = '', namespace = own } = caSecret as { name?: string; key?: string; namespace?: string };
  if (name === undefined) return undefined;
  const place = `${namespace || own}/${name}`;
  if ((namespace || own) !== own) return new Error(`the Secret ${place} must be in namespace ${own}`);
  const secret = (await read(secretRef(own, name))) as Secret | undefined;
  if (!secret) return new Error(`failed to get ClusterAuthentication CA secret ${place}: not found`);
  const data = secret.data?.[key];
  return data === undefined
    ? new Error(`secret ${place} does not contain ${key} key`)
    : Buffer.from(data, 'base64').toString() || undefined;
}

async function auditPolicy(cd: ClusterDeployment, deps: InputsDeps): Promise<Part> {
  const { namespace = '', name = '' } = cd.metadata;
  const target = { namespace, name: `${name}-audit-policy` };
  const wanted = cd.spec.auditPolicy;
  if (!wanted) {
    if (findCondition(cd, cdConditions.auditPolicy)) await deps.hub.delete(ConfigMap, target, { signal: deps.signal });
    return {};
  }
  const found = await deps.read(refTo(servedKind('ClusterAuditPolicy'), namespace, wanted));
  if (!found) return { auditPolicy: failed(`failed to get ClusterAuditPolicy ${namespace}/${wanted}: not found`) };
  const text = `${toYaml({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...asObject(specOf(found)['policy']) })}\n`;
  await ensure(deps, ConfigMap, cd, { metadata: target, data: { [auditKey]: text } });
  return { auditPolicy: done, values: { audit: { policyRef: { name: target.name, key: auditKey, hash: shortHash(text) } } } };
}

async function dataSource(cd: ClusterDeployment, deps: InputsDeps): Promise<Part> {
  const { namespace = '', name = '', uid = '' } = cd.metadata;
  const wanted = cd.spec.dataSource;
  if (!wanted) return {};
  const source = await deps.read(refTo(servedKind('DataSource'), namespace, wanted));
  if (!source) return { dataSource: failed(`failed to get DataSource ${namespace}/${wanted}: not found`) };
  const kind = servedKind('ClusterDataSource');
  const present = await deps.read(refTo(kind, namespace, name));
  const schema = `${namespace}_${name}_${uid.slice(0, 5)}`.replaceAll('-', '_');
  if (present && present.metadata.ownerReferences?.every(one => one.uid !== uid))
    return { dataSource: done, clusterDataSource: failed(`ClusterDataSource ${namespace}/${name} belongs to somebody else`) };
  if (!present || specOf(present)['dataSource'] !== wanted) {
    const spec = { schema: present ? specOf(present)['schema'] : schema, dataSource: wanted };
    const labels = { [k0rdentLabels.managed]: 'true', ...componentLabels };
    await deps.hub.apply(kind, { metadata: { namespace, name, labels, ownerReferences: [ownedBy(cd)] }, spec } as never, callOf(deps));
  }
  const status = statusOf(present);
  const isReady = status['ready'] === true && !status['error'] && status['observedGeneration'] === present?.metadata.generation;
  if (!isReady) {
    const message = `cross-referenced ClusterDataSource ${namespace}/${name} is not yet ready`;
    return { dataSource: done, clusterDataSource: { status: 'False', reason: 'Progressing', message } };
  }
  const ca = asObject(specOf(source)['certificateAuthority']);
  const values = {
    dataSource: {
      kineDataSourceSecretName: status['kineDataSourceSecret'] ?? '',
      ...(Object.keys(ca).length > 0 && { caSecret: { name: status['caSecret'] ?? '', key: ca['key'] ?? '' } }),
    },
  };
  return { dataSource: done, clusterDataSource: done, values };
}

/** What is there already is not written again; what somebody else made is not taken. */
async function ensure(
  deps: InputsDeps,
  kind: typeof Secret | typeof ConfigMap,
  cd: ClusterDeployment,
  { metadata, data }: { metadata: { namespace: string; name: string }; data: Record<string, string> },
): Promise<void> {
  const present = (await deps.read(refTo(kind as never, metadata.namespace, metadata.name))) as Secret | undefined;
  const isOwn = present?.metadata.ownerReferences?.some(one => one.uid === cd.metadata.uid);
  if (present && !isOwn) throw new Error(`${kind.kind} "${metadata.namespace}/${metadata.name}" belongs to somebody else`);
  if (present && jsonEqual(present.data, data)) return;
  await deps.hub.apply(kind as typeof Secret, { metadata: { ...metadata, ownerReferences: [ownedBy(cd)] }, data }, callOf(deps));
}

const callOf = ({ fieldManager, signal }: InputsDeps) => ({ fieldManager, signal });
const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
