import { createHash, type X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { Secret } from '../api/builtin-kinds.ts';
import type { Cluster } from '../api/cluster.ts';
import { StatusError } from '../api/status.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { agentKeysName, keyIdOf, readAgentKeys } from '../core/registration/agent-keys.ts';
import type { CertificateAuthority } from '../pki/certificate-authority.ts';
import { verifyClientCertificate } from '../pki/verify-client-certificate.ts';
import { verifyProof } from '../tunnel/agent-proof.ts';
import { agentHeaders, agentUser } from '../tunnel/protocol.ts';
import { clusterIdOf, shownCertificate } from './agent-certificate.ts';

/** An agent that proved to be the one of its cluster. */
export interface VerifiedAgent {
  readonly clusterId: string;
  readonly cluster: Cluster;
  /** The uid of the member it registered from. */
  readonly clusterUid: string;
}

export interface AgentVerifierDeps {
  readonly hub: KubeClient;
  readonly authority: CertificateAuthority;
  /** Undefined only when the hub is certain: an agent that hears so stops for good. */
  findClusterById(id: string): Promise<Cluster | undefined>;
  readonly now?: () => Date;
}

const hubTimeoutMs = 10_000;
// A proof is fresh for a minute either way; afterwards it is refused for its age.
const rememberedMs = 180_000;
const remembered = 100_000;

/** What proofs for this hub must name: the hub with this authority and no other. */
export function audienceOf({ x509 }: CertificateAuthority): string {
  return `drover:${createHash('sha256').update(x509.raw).digest('hex')}`;
}

/** Decides whether a request comes from the agent whose certificate it shows. Throws 401, and 410 when its cluster was removed. */
export function agentVerifier({ hub, authority, findClusterById, now = () => new Date() }: AgentVerifierDeps) {
  const audience = audienceOf(authority);
  // Room for so many takes time to make, and most hubs start without an agent.
  let usedProofs: LRUCache<string, true> | undefined;

  return async function verifyAgent(req: IncomingMessage): Promise<VerifiedAgent> {
    const { certificate, clusterId } = knownCertificate(req);
    const proofId = checkProof(req, certificate, clusterId);
    const cluster = await findClusterById(clusterId);
    // One that is being removed stays connected until then: the hub takes back through it what it put on the member.
    if (!cluster) throw gone(clusterId);
    const secret = await hub.get(Secret, { namespace: clusterId, name: agentKeysName }, { timeoutMs: hubTimeoutMs });
    const keys = readAgentKeys(secret);
    const keyId = keyIdOf(certificate.publicKey);
    if (!keys && cluster.metadata.deletionTimestamp !== undefined) throw gone(clusterId);
    if (!keys?.keys.some(({ id }) => id === keyId)) throw refused('its key is not, or not any more, that of the agent of this cluster');
    usedProofs ??= new LRUCache({ max: remembered, ttl: rememberedMs });
    if (usedProofs.has(proofId)) throw refused('the proof was used before');
    usedProofs.set(proofId, true);
    return { clusterId, cluster, clusterUid: keys.clusterUid };
  };

  function knownCertificate(req: IncomingMessage): { certificate: X509Certificate; clusterId: string } {
    const certificate = shownCertificate(single(req, agentHeaders.certificate));
    if (!certificate) throw refused(`the header ${agentHeaders.certificate} holds no certificate`);
    try {
      const clusterId = clusterIdOf(verifyClientCertificate(certificate, [authority.x509], { now: now() }));
      if (clusterId !== undefined) return { certificate, clusterId };
    } catch (cause) {
      throw refused((cause as Error).message);
    }
    throw refused('its certificate is not that of an agent');
  }

  /** Answers by what the proof is known when it comes a second time. */
  function checkProof(req: IncomingMessage, { publicKey }: X509Certificate, clusterId: string): string {
    const [, proof = ''] = /^bearer (\S+)$/i.exec(single(req, 'authorization')) ?? [];
    const { sub, aud, jti } = proofClaims(proof, publicKey);
    if (sub !== agentUser(clusterId)) throw refused('the proof is for another agent');
    if (aud !== audience) throw refused('the proof is for another hub');
    return `${clusterId} ${jti}`;
  }

  function proofClaims(proof: string, publicKey: X509Certificate['publicKey']) {
    try {
      return verifyProof(proof, publicKey, now());
    } catch (cause) {
      throw refused((cause as Error).message);
    }
  }
}

/** A header that came once; '' when it did not, or came more often. */
function single({ headersDistinct }: IncomingMessage, name: string): string {
  const values = headersDistinct[name] ?? [];
  return values.length === 1 ? values[0]! : '';
}

const refused = (why: string) => new StatusError(401, 'Unauthorized', `the agent is not accepted: ${why}`);
export const gone = (clusterId: string) => new StatusError(410, 'Gone', `cluster "${clusterId}" was removed from the hub`);
