import type { KubeClient } from '../../client/kube-client.ts';
import { readJson } from '../../client/read-answer.ts';

const timeoutMs = 10_000;

/** In CEL: whether a request is the hub's own. */
export const ownRequests = async (hub: KubeClient, signal: AbortSignal): Promise<string> => ofHub(await ownName(hub, signal));

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
