import { createHash, type KeyObject } from 'node:crypto';
import { Secret } from '../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../api/object.ts';
import { timestamp } from '../../util/timestamp.ts';

/*
 * Which keys speak for the agent of a cluster: a Secret in the cluster's namespace. Deleting it revokes the agent.
 */

export const agentKeysName = 'agent-identity';
const agentKeysType = 'drover.io/agent-identity';
/** On that Secret: one label for each key, so that a key is found whichever cluster it belongs to. */
const keyLabelPrefix = 'agent-key.drover.io/';
/** On that Secret, by which all of them are watched. */
export const agentKeysLabel = 'drover.io/agent-identity';

/** The newest, and the one before it: an agent may be killed before it has kept the new one. */
const keptKeys = 2;

export interface AgentKeys {
  /** The uid of the member that the keys were given to. */
  readonly clusterUid: string;
  /** Newest first. */
  readonly keys: readonly AgentKey[];
}

interface AgentKey {
  readonly id: string;
  readonly expiresAt: string;
}

export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Finds the Secrets of all clusters that hold the key. */
export const keySelector = (keyId: string): string => keyLabelPrefix + keyId.slice(0, 32);

export function readAgentKeys(secret: Secret | undefined): AgentKeys | undefined {
  if (!secret || secret.type !== agentKeysType) return undefined;
  const text = (key: string) => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
  const keys = text('keys')
    .split('\n')
    .map(line => /^([0-9a-f]{64}) (\S+)$/.exec(line))
    .flatMap(match => (match ? [{ id: match[1]!, expiresAt: match[2]! }] : []));
  return { clusterUid: text('clusterUid'), keys };
}

/** The keys once another one was added. Keys of another member do not stay: the cluster has a new body. */
export function withKey(present: AgentKeys | undefined, clusterUid: string, key: { id: string; expiresAt: Date }): AgentKeys {
  const old = present?.clusterUid === clusterUid ? present.keys.filter(({ id }) => id !== key.id) : [];
  return { clusterUid, keys: [{ id: key.id, expiresAt: timestamp(key.expiresAt) }, ...old].slice(0, keptKeys) };
}

export function agentKeysSecret(namespace: string, { clusterUid, keys }: AgentKeys): Secret {
  const labels = Object.fromEntries(keys.map(({ id }) => [keySelector(id), '']));
  const encode = (text: string) => Buffer.from(text).toString('base64');
  return {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: { name: agentKeysName, namespace, labels: { ...labels, [agentKeysLabel]: '', 'app.kubernetes.io/managed-by': 'drover' } },
    type: agentKeysType,
    data: { clusterUid: encode(clusterUid), keys: encode(keys.map(({ id, expiresAt }) => `${id} ${expiresAt}`).join('\n')) },
  };
}
