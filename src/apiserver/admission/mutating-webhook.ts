import type { KubeObject } from '../../api/object.ts';
import { internalServerError } from '../../api/status.ts';
import { jsonEqual, parseJson, printJson, type Json } from '../../util/json.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { inVersion, isExempt } from './match-rules.ts';
import { ensureReinvocation, roundsOf } from './reinvocation.ts';
import { invoke, planCall, webhookSource, type Call, type WebhookDeps } from './webhook-source.ts';
import type { ReviewAnswer } from './webhook-review.ts';

const pluginName = 'MutatingAdmissionWebhook';

/** Calls mutating webhooks one after the other; each sees what the ones before it made of the object. */
export function mutatingWebhook(deps: WebhookDeps): AdmissionPlugin {
  const webhooks = webhookSource(deps.lists, 'mutatingwebhookconfigurations');
  return {
    name: pluginName,
    handles: request => !isExempt(request) && webhooks(request).length > 0,
    mutate,
  };

  async function mutate(request: AdmissionRequest): Promise<void> {
    const rounds = roundsOf(request, pluginName);
    const reinvocation = ensureReinvocation(request);
    if (reinvocation.isSecondRound) rounds.startSecondRound(request.object);
    for (const webhook of webhooks(request)) {
      const call = await planCall(webhook, request, deps.authorizer);
      if (!call || (reinvocation.isSecondRound && !rounds.mustRepeat(webhook.id))) continue;
      const isChanged = await mutateBy(call, request);
      if (isChanged) {
        rounds.noteChange();
        reinvocation.isNeeded = true;
      }
      if (webhook.hook.reinvocationPolicy === 'IfNeeded') rounds.noteInvoked(webhook.id);
    }
    if (!reinvocation.isSecondRound) rounds.noteOutput(request.object);
  }

  async function mutateBy(call: Call, request: AdmissionRequest): Promise<boolean> {
    const { configuration, hook, index } = call.webhook;
    const place = `round_${ensureReinvocation(request).isSecondRound ? 1 : 0}_index_${index}`;
    let isChanged = false;
    try {
      const answer = await invoke(deps, call, request, true);
      if (!answer) request.auditAnnotation(`failed-open.mutation.webhook.admission.k8s.io/${place}`, hook.name);
      else isChanged = await applyAnswer(answer, call, request, place);
      return isChanged;
    } finally {
      request.auditAnnotation(
        `mutation.webhook.admission.k8s.io/${place}`,
        printJson({ configuration, webhook: hook.name, mutated: isChanged }),
      );
    }
  }
}

async function applyAnswer(answer: ReviewAnswer, call: Call, request: AdmissionRequest, place: string): Promise<boolean> {
  const { hook, configuration } = call.webhook;
  if (answer.patch === undefined) return false;
  const patch = decodePatch(answer.patch, hook.name, hook.failurePolicy === 'Ignore');
  if (!patch || (Array.isArray(patch) && patch.length === 0)) return false;
  const seen = call.objects.object;
  if (!seen)
    throw internalServerError(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  const patched = applyPatch(seen, patch);
  request.auditAnnotation(
    `patch.webhook.admission.k8s.io/${place}`,
    printJson({ configuration, webhook: hook.name, patch, patchType: 'JSONPatch' }),
  );
  const isChanged = !jsonEqual(patched, seen);
  if (isChanged) request.object = await settle(patched, call, request);
  return isChanged;
}

// Patched objects are read anew: unknown fields vanish and defaults come in, as with any body.
async function settle(patched: KubeObject, { invocation }: Call, request: AdmissionRequest): Promise<KubeObject> {
  const resource = invocation.convertTo ?? request.resource;
  const { kind } = invocation;
  if (kind.kind !== resource.kind || kind.group !== resource.group) return patched;
  try {
    const shaped = resource.codec.shape(patched, []);
    resource.codec.setDefaults(shaped);
    return (await inVersion(shaped, resource, invocation.convertTo && request.resource)) ?? shaped;
  } catch (error) {
    throw internalServerError(error instanceof Error ? error.message : String(error));
  }
}

function applyPatch(obj: KubeObject, patch: Json): KubeObject {
  try {
    return applyJsonPatch(obj as unknown as Json, patch) as unknown as KubeObject;
  } catch (error) {
    const { cause = error } = error as { cause?: unknown };
    throw internalServerError(cause instanceof Error ? cause.message : String(cause));
  }
}

function decodePatch(base64: string, webhook: string, isIgnored: boolean): Json | undefined {
  try {
    return parseJson(Buffer.from(base64, 'base64').toString('utf8'));
  } catch (error) {
    if (isIgnored) return undefined;
    throw internalServerError(
      `failed calling webhook ${JSON.stringify(webhook)}: received undecodable patch in webhook response: ${(error as Error).message}`,
    );
  }
}
