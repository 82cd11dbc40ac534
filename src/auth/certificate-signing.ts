import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import type { ClusterApi } from '../apiserver/cluster-api.ts';
import { type ControllerOptions, type RunningController } from '../apiserver/controllers/running-controller.ts';
import type { CertificateAuthority } from '../pki/certificate-authority.ts';
import { parseCertificateRequest, type CertificateRequest } from '../pki/certificate-request.ts';
import { workQueue, type Outcome } from '../runtime/work-queue.ts';
import { kubeletClientProblem, refusalOf, signers, signRequest } from './certificate-signers.ts';
import type { Authorizer, UserInfo } from './user.ts';
import { timestamp } from '../util/timestamp.ts';

type Csr = KubeObject & CertificateSigningRequest;

const resource = { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests' };
const fieldManager = 'kube-controller-manager';
const hourMs = 3_600_000;
const ownSigners = new Set<string>(Object.values(signers));

function parseRequest(base64: string): CertificateRequest {
  return parseCertificateRequest(Buffer.from(base64, 'base64').toString());
}

export interface CertificateControllerDeps extends ControllerOptions {
  authority: CertificateAuthority;
  authorizer: Authorizer;
  signal?: AbortSignal;
}

/**
 * Approves the requests of kubelets for their own client certificates, signs what is approved for the built-in signers, and removes requests
 * that are done or that nobody wanted.
 */
export function certificateSigningController(api: ClusterApi, deps: CertificateControllerDeps): RunningController {
  const now = deps.now ?? (() => new Date());
  const queue = workQueue({ ...deps, reconcile });
  const subscription = api.subscribe(change => {
    if (change.resource.group === resource.group && change.resource.resource === resource.resource && change.type !== 'DELETED')
      queue.add(change.name);
  });
  for (const csr of api.peekAll(resource)) queue.add(csr.metadata.name ?? '');
  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  async function reconcile(name: string): Promise<Outcome> {
    const csr = api.peek(resource, '', name) as Csr | undefined;
    if (!csr) return undefined;
    const leftMs = timeLeftMs(csr, now());
    if (leftMs <= 0) {
      await api.delete(resource, { namespace: '', name });
      return undefined;
    }
    const approval = approvalFor(csr, deps.authorizer);
    if (approval !== undefined) await approve(csr, approval);
    else await sign(csr);
    return { requeueAfterMs: leftMs + 1000 };
  }

  async function approve(csr: Csr, message: string): Promise<void> {
    const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
    await api.update(resource, withCondition(csr, condition), { subresource: 'approval', fieldManager });
  }

  async function sign(csr: Csr): Promise<void> {
    const { signerName, usages = [], expirationSeconds } = csr.spec;
    if (!hasCondition(csr, 'Approved') || hasCondition(csr, 'Denied') || hasCondition(csr, 'Failed')) return;
    if (!ownSigners.has(signerName) || isIssued(csr)) return;
    const request = parseRequest(csr.spec.request);
    const refusal = refusalOf(signerName, request, usages);
    if (refusal !== undefined) {
      const condition = {
        type: 'Failed',
        status: 'True',
        reason: 'SignerValidationFailure',
        message: refusal,
        lastUpdateTime: timestamp(now()),
      };
      await api.update(resource, withCondition(csr, condition), { subresource: 'status', fieldManager });
      return;
    }
    const certificate = signRequest(deps.authority, request, { usages, expirationSeconds, now: now() });
    const status = { ...csr.status, certificate: Buffer.from(certificate).toString('base64') };
    await api.update(resource, { ...csr, status }, { subresource: 'status', fieldManager });
  }
}

/** The message of an automatic approval, or undefined when a person must decide. */
export function approvalFor(csr: Csr, authorizer: Authorizer): string | undefined {
  const { signerName, username = '', uid, groups, extra, usages = [] } = csr.spec;
  if (isIssued(csr) || hasCondition(csr, 'Approved') || hasCondition(csr, 'Denied') || signerName !== signers.kubeletClient)
    return undefined;
  const request = parseRequest(csr.spec.request);
  if (kubeletClientProblem(request, usages) !== undefined) return undefined;
  const requestor: UserInfo = { name: username, groups: groups ?? [], ...(uid !== undefined && { uid }), ...(extra && { extra }) };
  const may = (subresource: string) =>
    authorizer.authorize(requestor, {
      isResource: true,
      verb: 'create',
      group: resource.group,
      version: '*',
      resource: resource.resource,
      subresource,
      namespace: '',
      name: '',
    }).allowed;
  // A node may renew its own name and no other.
  if (username === request.subject.commonName && may('selfnodeclient'))
    return 'Auto approving self kubelet client certificate after SubjectAccessReview.';
  return may('nodeclient') ? 'Auto approving kubelet client certificate after SubjectAccessReview.' : undefined;
}

/** How long a request may stay: an hour once it is answered, a day while it waits, and no longer than its certificate. */
export function timeLeftMs(csr: Csr, now: Date): number {
  const since = (time: string | undefined, limitMs: number) => (time === undefined ? Infinity : Date.parse(time) + limitMs - now.getTime());
  const conditions = csr.status?.conditions ?? [];
  if (conditions.length === 0) return since(csr.metadata.creationTimestamp, 24 * hourMs);
  const limits = conditions.map(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return since(lastUpdateTime, hourMs);
    if (type !== 'Approved') return Infinity;
    return Math.min(since(lastUpdateTime, isIssued(csr) ? hourMs : 24 * hourMs), certificateEndMs(csr) - now.getTime());
  });
  return Math.min(...limits);
}

function certificateEndMs(csr: Csr): number {
  if (!isIssued(csr)) return Infinity;
  try {
    return Date.parse(new X509Certificate(Buffer.from(csr.status?.certificate ?? '', 'base64')).validTo);
  } catch {
    return Infinity;
  }
}

function isIssued(csr: Csr): boolean {
  return (csr.status?.certificate ?? '') !== '';
}

function hasCondition(csr: Csr, type: string): boolean {
  return csr.status?.conditions?.some(condition => condition.type === type) ?? false;
}

function withCondition(csr: Csr, condition: CertificateSigningRequestCondition): KubeObject {
  return { ...csr, status: { ...csr.status, conditions: [...(csr.status?.conditions ?? []), condition] } };
}
