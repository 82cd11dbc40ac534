import type { IncomingMessage, ServerResponse } from 'node:http';
import { Secret } from '../api/builtin-kinds.ts';
import type { Cluster } from '../api/cluster.ts';
import { StatusError } from '../api/status.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { agentAccess } from '../core/registration/agent-access.ts';
import { agentKeysName, agentKeysSecret, keyIdOf, keySelector, readAgentKeys, withKey } from '../core/registration/agent-keys.ts';
import { boundTo, judgeToken, secretOf, tokenPattern, tokenSelector } from '../core/registration/registration-token.ts';
import type { CertificateAuthority } from '../pki/certificate-authority.ts';
import { agentHeaders, type RegisterAnswer } from '../tunnel/protocol.ts';
import { timestamp } from '../util/timestamp.ts';
import { issueAgentCertificate, requestedKey } from './agent-certificate.ts';
import { sendJson } from './answer.ts';
import { readJsonObject, textField } from './read-json.ts';
import { audienceOf, gone, type VerifiedAgent } from './verify-agent.ts';

export interface RegistrationDeps {
  readonly hub: KubeClient;
  readonly authority: CertificateAuthority;
  verifyAgent(req: IncomingMessage): Promise<VerifiedAgent>;
  findClusterById(id: string): Promise<Cluster | undefined>;
  /** The cluster that is known to be the member with this uid. */
  findClusterByUid(clusterUid: string): Cluster | undefined;
  readonly now?: () => Date;
}

const maxBodyBytes = 64 * 1024;
const call = { timeoutMs: 10_000, fieldManager: 'drover-gateway' };
const maxAttempts = 5;

interface Applicant {
  readonly clusterId: string;
  readonly cluster: Cluster;
  readonly isRenewal: boolean;
}

/** `POST /v3/connect/register`: a token or a present identity, and a key, become a certificate for the agent of one cluster. */
export function agentRegistration(deps: RegistrationDeps) {
  const { hub, authority, now = () => new Date() } = deps;
  const audience = audienceOf(authority);

  return async function register(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readJsonObject(req, maxBodyBytes);
    const clusterUid = textField(body, 'clusterUid', /^[A-Za-z0-9-]{1,64}$/);
    const csr = textField(body, 'csr', /^[\x20-\x7e\r\n]{1,16384}$/);
    textField(body, 'agentVersion', /^[\w.+-]{1,64}$/);

    const { clusterId, cluster, isRenewal } = await identify(req, clusterUid, csr);
    const key = requestedKey(csr, clusterId, { mayBeEmpty: !isRenewal });
    const keyId = keyIdOf(key);
    await checkKey(keyId, clusterId);
    const { certificate, expiresAt } = issueAgentCertificate(authority, key, clusterId, now());
    for (const [kind, obj] of agentAccess(cluster, clusterId)) await hub.apply(kind, obj, call);
    await keepKey(clusterId, clusterUid, { id: keyId, expiresAt });
    const answer: RegisterAnswer = { clusterId, certificate, expiresAt: timestamp(expiresAt), audience };
    sendJson(res, 201, answer);
  };

  async function identify(req: IncomingMessage, clusterUid: string, csr: string): Promise<Applicant> {
    if (req.headers[agentHeaders.token] === undefined) {
      const { clusterId, cluster, clusterUid: registeredUid } = await deps.verifyAgent(req);
      if (clusterUid !== registeredUid) throw refused('the agent is registered from another cluster');
      return { clusterId, cluster, isRenewal: true };
    }
    const token = String(req.headers[agentHeaders.token]);
    const secret = tokenPattern.test(token) ? secretOf(token, await findTokens(token)) : undefined;
    if (!secret) throw unknownToken('the registration token is not known to this hub');
    const clusterId = secret.metadata.namespace ?? '';
    const cluster = await deps.findClusterById(clusterId);
    if (!cluster || cluster.metadata.deletionTimestamp !== undefined) throw gone(clusterId);
    if (cluster.spec.connection.mode !== 'Tunnel') throw refused(`cluster "${cluster.metadata.name}" is not reached through an agent`);
    const twin = deps.findClusterByUid(clusterUid);
    if (twin && twin.metadata.uid !== cluster.metadata.uid)
      throw refused(`this cluster is a member already, by the name "${twin.metadata.name}"`);
    // What is wrong with the request must show before the token is bound.
    requestedKey(csr, clusterId, { mayBeEmpty: true });
    await bind(token, secret, clusterUid);
    return { clusterId, cluster, isRenewal: false };
  }

  async function findTokens(token: string): Promise<readonly Secret[]> {
    return (await hub.list(Secret, { labelSelector: tokenSelector(token), ...call })).items;
  }

  /** The first member that comes with a token is the only one it is good for, also when two come at once. */
  async function bind(token: string, found: Secret, clusterUid: string): Promise<void> {
    let secret: Secret | undefined = found;
    for (let attempt = 1; secret; attempt++) {
      const verdict = judgeToken(secret, { now: now(), clusterUid });
      if (verdict === 'valid') return;
      if (verdict === 'expired') throw unknownToken('the registration token has expired');
      if (verdict === 'foreign') throw refused('the registration token was used by another cluster already');
      try {
        await hub.update(Secret, boundTo(secret, clusterUid), call);
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === maxAttempts) throw error;
        secret = secretOf(token, await findTokens(token));
      }
    }
    throw unknownToken('the registration token is not known to this hub');
  }

  async function checkKey(keyId: string, clusterId: string): Promise<void> {
    const { items } = await hub.list(Secret, { labelSelector: keySelector(keyId), ...call });
    const isForeign = items.some(
      secret => secret.metadata.namespace !== clusterId && readAgentKeys(secret)?.keys.some(({ id }) => id === keyId),
    );
    if (isForeign) throw refused('the key belongs to the agent of another cluster');
  }

  async function keepKey(clusterId: string, clusterUid: string, key: { id: string; expiresAt: Date }): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const present = await hub.get(Secret, { namespace: clusterId, name: agentKeysName }, call);
      const next = agentKeysSecret(clusterId, withKey(readAgentKeys(present), clusterUid, key));
      try {
        if (!present) await hub.create(Secret, next, call);
        else
          await hub.update(Secret, { ...next, metadata: { ...next.metadata, resourceVersion: present.metadata.resourceVersion! } }, call);
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === maxAttempts) throw error;
      }
    }
  }
}

const isConflict = (error: unknown) => error instanceof StatusError && error.code === 409;
const unknownToken = (message: string) => new StatusError(401, 'Unauthorized', message);
const refused = (message: string) => new StatusError(403, 'Forbidden', message);
