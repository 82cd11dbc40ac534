import { withType } from '../../../api/define-kind.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { readJson } from '../../../client/read-answer.ts';
import { runWebhookRegistration, type RegistrationDeps } from '../../../core/admission/keep-registered.ts';
import type { WebhookRegistration } from '../../../core/admission/register-webhooks.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import { RoleTemplate } from '../kinds/role.ts';
import { rancherReviews } from './rancher-admission.ts';
import { administrativeOutsideCluster } from './review-role-template.ts';

const dialect = 'rancher';
const timeoutMs = 10_000;
const probeName = 'drover-admission-probe';
const probe = withType(RoleTemplate, { metadata: { name: probeName }, context: 'project' as const, administrative: true });

/** What the hub itself writes is not asked about: it must go on when nobody answers. All others wait until somebody does. */
export function runRancherRegistration(deps: Pick<RegistrationDeps, 'hub' | 'address' | 'after' | 'signal'>): RunningController {
  return runWebhookRegistration({
    ...deps,
    dialect,
    registration: signal => rancherRegistration(deps.hub, signal),
    isAsked: signal => isRefused(deps.hub, signal),
    isOpenAtFirst: false,
  });
}

export async function rancherRegistration(hub: KubeClient, signal: AbortSignal): Promise<WebhookRegistration> {
  const isProbe = `object != null && has(object.metadata.name) && object.metadata.name == "${probeName}"`;
  return { dialect, ...rancherReviews, when: `(${isProbe}) || !(${ofHub(await ownName(hub, signal))})` };
}

/** Whether a request is the hub's. Where people use the same credential, their tools call themselves something else. */
function ofHub(name: string): string {
  const isName = `request.userInfo.username == ${JSON.stringify(name)}`;
  if (name.startsWith('system:drover:')) return isName;
  const isOurs = 'request.options != null && has(request.options.fieldManager) && request.options.fieldManager.startsWith("drover")';
  return `${isName} && (request.operation == "DELETE" || (${isOurs}))`;
}

/** Who the hub is to its API server. */
async function ownName(hub: KubeClient, signal: AbortSignal): Promise<string> {
  const res = await hub.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
    answerTimeoutMs: timeoutMs,
    signal,
  });
  const { status } = (await readJson(res)) as { status?: { userInfo?: { username?: string } } };
  const name = status?.userInfo?.username;
  if (!name) throw new Error('the API server does not say who the hub is');
  return name;
}

/** The probe, which is not written, may not be, if somebody is asked. */
async function isRefused(hub: KubeClient, signal: AbortSignal): Promise<boolean> {
  try {
    await hub.create(RoleTemplate, probe, { dryRun: true, signal });
    return false;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.code === 422 && error.message.includes(administrativeOutsideCluster);
  }
}
