import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { isExempt } from './match-rules.ts';
import { invoke, planCall, webhookSource, type Call, type WebhookDeps } from './webhook-source.ts';

/** Asks all validating webhooks at once; the first refusal, in their order, is the answer. */
export function validatingWebhook(deps: WebhookDeps): AdmissionPlugin {
  const webhooks = webhookSource(deps.lists, 'validatingwebhookconfigurations');
  return {
    name: 'ValidatingAdmissionWebhook',
    handles: request => !isExempt(request) && webhooks(request).length > 0,
    validate,
  };

  async function validate(request: AdmissionRequest): Promise<void> {
    const calls: Call[] = [];
    for (const webhook of webhooks(request)) {
      const call = await planCall(webhook, request, deps.authorizer);
      if (call) calls.push(call);
    }
    if (calls.length === 0) return;
    const results = await Promise.allSettled(calls.map((call, i) => ask(call, i, request)));
    const refused = results.find(result => result.status === 'rejected');
    if (refused) throw refused.reason;
  }

  async function ask(call: Call, i: number, request: AdmissionRequest): Promise<void> {
    const answer = await invoke(deps, call, request, false);
    if (!answer) request.auditAnnotation(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${i}`, call.webhook.hook.name);
  }
}
