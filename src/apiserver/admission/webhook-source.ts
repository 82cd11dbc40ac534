import type { MutatingWebhook, ValidatingWebhook } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { forbiddenError, internalServerError, StatusError, badRequest, timeout } from '../../api/status.ts';
import type { Authorizer } from '../../auth/user.ts';
import type { Resource } from '../resource.ts';
import type { AdmissionRequest } from './admission.ts';
import { admissionTypes, admissionVariables, compileExpression, failedCondition, type CompiledExpression } from './cel-environment.ts';
import { equivalentsOf, inVersion, matchRequest, mayChoose, type Invocation, type Matching, type Rule } from './match-rules.ts';
import type { WatchedLists } from './watched-lists.ts';
import { callWebhook, type WebhookClientDeps } from './webhook-client.ts';
import { createReview, readReviewAnswer, rejection, type ReviewAnswer } from './webhook-review.ts';

/** A webhook of a configuration, ready to be matched. */
export interface Webhook {
  readonly id: string;
  /** Its place among all webhooks of its kind. */
  readonly index: number;
  readonly configuration: string;
  readonly hook: MutatingWebhook & ValidatingWebhook;
  readonly matching: Matching;
  readonly conditions: readonly { name: string; expression: CompiledExpression }[];
}

export interface WebhookDeps extends WebhookClientDeps {
  readonly lists: WatchedLists;
  readonly authorizer?: Authorizer;
}

/** The object as a webhook sees it. */
export interface VersionedObjects {
  object: KubeObject | undefined;
  oldObject: KubeObject | undefined;
}

/**
 * The webhooks of one kind of configuration that a request may concern, in the order they are called: by name of the configuration, then as listed.
 * A hub has dozens for its own kinds, and most writes concern none: which they are is found once for a resource.
 */
export function webhookSource(lists: WatchedLists, resource: string): (request: AdmissionRequest) => readonly Webhook[] {
  const configurations = lists.list({ group: 'admissionregistration.k8s.io', resource }, readConfiguration);
  let seen: readonly (readonly Unplaced[])[] = [];
  let all: readonly Webhook[] = [];
  let concerning = new WeakMap<readonly Resource[], readonly Webhook[]>();
  return request => {
    const present = configurations.all();
    if (present !== seen) {
      seen = present;
      all = present.flat().map((webhook, index) => ({ ...webhook, index }));
      concerning = new WeakMap();
    }
    if (all.length === 0) return all;
    const resources = equivalentsOf(request);
    let chosen = concerning.get(resources);
    if (!chosen) concerning.set(resources, (chosen = all.filter(({ matching }) => mayChoose(matching, resources))));
    return chosen;
  };
}

type Unplaced = Omit<Webhook, 'index'>;

function readConfiguration(obj: KubeObject): readonly Unplaced[] {
  const configuration = obj.metadata.name ?? '';
  const hooks = (obj['webhooks'] ?? []) as (MutatingWebhook & ValidatingWebhook)[];
  return hooks.map((hook, i) => ({
    id: `${configuration}/${hook.name}/${i}`,
    configuration,
    hook,
    matching: {
      rules: (hook.rules ?? []) as Rule[],
      matchPolicy: hook.matchPolicy ?? 'Equivalent',
      namespaceSelector: hook.namespaceSelector,
      objectSelector: hook.objectSelector,
    },
    conditions: (hook.matchConditions ?? []).map(({ name, expression }) => ({
      name,
      expression: compileExpression(expression, admissionTypes),
    })),
  }));
}

export interface Call {
  readonly webhook: Webhook;
  readonly invocation: Invocation;
  readonly objects: VersionedObjects;
}

/** Decides whether a webhook is to be called. Throws StatusError when that cannot be decided. */
export async function planCall(webhook: Webhook, request: AdmissionRequest, authorizer: Authorizer | undefined): Promise<Call | undefined> {
  const invocation = matchRequest(webhook.matching, request);
  if (!invocation) return undefined;
  const objects = await versionedObjects(request, invocation);
  if (webhook.conditions.length === 0) return { webhook, invocation, objects };
  try {
    const variables = admissionVariables({ request, invocation, ...objects, authorizer });
    if (failedCondition(webhook.conditions, variables) !== undefined) return undefined;
  } catch (error) {
    if (webhook.hook.failurePolicy === 'Ignore') return undefined;
    const { group, resource } = request.resource;
    throw forbiddenError({ group, resource }, request.name, error instanceof Error ? error.message : String(error));
  }
  return { webhook, invocation, objects };
}

async function versionedObjects(request: AdmissionRequest, { convertTo }: Invocation): Promise<VersionedObjects> {
  const { object, oldObject, resource } = request;
  try {
    return { object: await inVersion(object, resource, convertTo), oldObject: await inVersion(oldObject, resource, convertTo) };
  } catch (error) {
    throw internalServerError(error instanceof Error ? error.message : String(error));
  }
}

/** Undefined when the call failed and the webhook's policy is to go on without it. */
export async function invoke(
  deps: WebhookDeps,
  call: Call,
  request: AdmissionRequest,
  isMutating: boolean,
): Promise<ReviewAnswer | undefined> {
  const { name, sideEffects, failurePolicy } = call.webhook.hook;
  if (request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  let answer: ReviewAnswer;
  try {
    answer = await exchange(deps, call, request, isMutating);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    if (failurePolicy !== 'Ignore')
      throw internalServerError(
        `failed calling webhook ${JSON.stringify(name)}: ${error instanceof Error ? error.message : String(error)}`,
      );
    if (request.signal.aborted) throw timeout('request did not complete within requested timeout', {});
    return undefined;
  }
  for (const [key, value] of Object.entries(answer.auditAnnotations)) request.auditAnnotation(`${name}/${key}`, value);
  for (const warning of answer.warnings) request.warn(warning);
  if (!answer.allowed) throw rejection(name, answer.status);
  return answer;
}

async function exchange(deps: WebhookDeps, call: Call, request: AdmissionRequest, isMutating: boolean): Promise<ReviewAnswer> {
  const { hook } = call.webhook;
  const review = createReview(request, call.invocation, call.objects, hook.admissionReviewVersions);
  if (!review) throw new Error('could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)');
  let answer;
  try {
    const timeoutSeconds = hook.timeoutSeconds ?? 10;
    answer = await callWebhook(deps, { client: hook.clientConfig, body: review.body, timeoutSeconds, signal: request.signal });
  } catch (error) {
    throw new Error(`failed to call webhook: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  try {
    return readReviewAnswer(answer, review, isMutating);
  } catch (error) {
    throw new Error(`received invalid webhook response: ${(error as Error).message}`, { cause: error });
  }
}
