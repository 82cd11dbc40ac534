import { X509Certificate } from 'node:crypto';
import { createKey, printKey } from '../pki/certificate-authority.ts';
import { writeCertificateRequest } from '../pki/write-certificate-request.ts';
import { agentGroup, agentHeaders, agentUser, registerPath, type RegisterAnswer, type RegisterRequest } from '../tunnel/protocol.ts';
import { digestOf, identityHeaders, type AgentIdentity } from './agent-identity.ts';
import { AgentStoppedError, refusalOf } from './hub-errors.ts';
import type { HubLink } from './hub-link.ts';

export interface Registration {
  readonly server: string;
  readonly clusterUid: string;
  readonly agentVersion: string;
}

/** An identity from a registration token. */
export function register(link: HubLink, facts: Registration, token: string, signal: AbortSignal): Promise<AgentIdentity> {
  const proof = { [agentHeaders.token]: token };
  return askForIdentity(link, facts, { subject: { commonName: '' }, proof, tokenDigest: digestOf(token) }, signal);
}

/** A new identity, with a new key, from the present one. `now` is the time of the hub. */
export function renew(link: HubLink, facts: Registration, present: AgentIdentity, now: Date, signal: AbortSignal): Promise<AgentIdentity> {
  const subject = { commonName: agentUser(present.clusterId), organizations: [agentGroup] };
  return askForIdentity(link, facts, { subject, proof: identityHeaders(present, now), tokenDigest: present.tokenDigest }, signal);
}

interface Application {
  readonly subject: { readonly commonName: string; readonly organizations?: readonly string[] };
  readonly proof: Readonly<Record<string, string>>;
  readonly tokenDigest: string;
}

async function askForIdentity(
  link: HubLink,
  { server, clusterUid, agentVersion }: Registration,
  { subject, proof, tokenDigest }: Application,
  signal: AbortSignal,
): Promise<AgentIdentity> {
  const privateKey = createKey();
  const body: RegisterRequest = { clusterUid, agentVersion, csr: writeCertificateRequest(privateKey, subject) };
  const answer = await link.request(
    { method: 'POST', path: registerPath, headers: { ...proof, 'content-type': 'application/json' }, body: JSON.stringify(body) },
    signal,
  );
  if (answer.status !== 201) throw refusalOf(answer);
  const { clusterId, certificate, audience } = parseAnswer(answer.text);
  if (!new X509Certificate(certificate).checkPrivateKey(privateKey))
    throw new AgentStoppedError('the hub sent a certificate for another key');
  return { server, clusterId, audience, certificate, key: printKey(privateKey), tokenDigest };
}

function parseAnswer(text: string): RegisterAnswer {
  try {
    const answer = JSON.parse(text) as RegisterAnswer;
    const fields = [answer.clusterId, answer.certificate, answer.audience];
    if (!fields.every(field => typeof field === 'string' && field !== '')) throw new Error('a field is missing');
    new X509Certificate(answer.certificate);
    return answer;
  } catch (cause) {
    throw new AgentStoppedError('the hub answered a registration in a form that is not understood', { cause });
  }
}
