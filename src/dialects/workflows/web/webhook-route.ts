import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { badRequest, methodNotAllowed, StatusError, tooLarge, unauthorized } from '../../../api/status.ts';
import type { HubAccess } from '../../../auth/hub-access.ts';
import { forbiddenRequest } from '../../../auth/rbac.ts';
import { anonymous, type UserInfo } from '../../../auth/user.ts';
import { sendJson } from '../../../gateway/answer.ts';
import { failureLimit } from '../../../gateway/failure-limit.ts';
import { decodeEscapes } from '../../../util/decode-escapes.ts';
import { durationMs } from '../../../util/duration.ts';
import { errorText } from '../../../util/error-text.ts';
import { isJsonObject, parseJson, type JsonObject } from '../../../util/json.ts';
import { log } from '../../../runtime/log.ts';
import { Trigger } from '../kinds/trigger.ts';
import { PipelineRun } from '../kinds/pipeline.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { deliveryOf, gitPayload, isMeant, isSigned, isWanted, providerOf, readGitEvents } from '../triggers/git-event.ts';
import { startedName } from '../triggers/start-run.ts';
import { isRefusal, startRun, type StartedRun, type TriggersDeps } from '../triggers/trigger-controller.ts';
import { restsUntil, type Start } from '../triggers/trigger-decision.ts';
import { foreseeStart, type ForesightDeps } from './foresee-start.ts';
import { pageAddress } from './page-address.ts';
import { readWebhookBody } from './webhook-body.ts';
import type { WebhookTokens } from './webhook-tokens.ts';

export interface WebhookRouteDeps extends ForesightDeps, Pick<TriggersDeps, 'runs' | 'pipelineRuns'> {
  readonly access: HubAccess;
  readonly tokens: WebhookTokens;
  serverUrl(): string;
  now?(): Date;
}

export const webhookPrefix = '/api/webhooks/';
/** What is put into the settings of whoever sends. The token of a webhook is not shown: it is in a Secret. */
export function webhookAddress({ metadata, spec }: Trigger, serverUrl: string): string | undefined {
  const { type } = spec.condition;
  if (type === 'GitEvent') return `${serverUrl}${webhookPrefix}${metadata.uid}`;
  return type === 'Webhook' ? `${serverUrl}${webhookPrefix}{token}` : undefined;
}

const maxBytes = 5 * 1024 * 1024;
const repeatMs = durationMs('24h');
const maxKeyLength = 255;
const fieldManager = 'drover-triggers';

/** `POST /api/webhooks/{token}`: starts what a Trigger says, as Harness answers it. */
export function webhookRoute(deps: WebhookRouteDeps) {
  const { hub, access, tokens, signal, serverUrl, now = () => new Date() } = deps;
  const guesses = failureLimit();
  const foresight = foreseeStart(deps);
  /** By the uid of their trigger: who is to begin last. */
  const turns = new Map<string, Promise<void>>();
  return (req: IncomingMessage, res: ServerResponse) => guesses.guard(req, () => handle(req, res));

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') throw methodNotAllowed();
    const token = decodeEscapes((req.url ?? '').split('?', 1)[0]!.slice(webhookPrefix.length));
    const body = await readBody(req);
    const trigger = await tokens.find(token, signal);
    if (!trigger) throw new StatusError(404, 'NotFound', 'there is no such webhook');
    const isOfGit = trigger.spec.condition.type === 'GitEvent';
    const starts = isOfGit ? await gitStarts(trigger, req, body) : [await plainStart(trigger, req, body)];
    // Who asks again hears what was started, also when nothing more may start now.
    let run: StartedRun | undefined;
    for (const start of starts) run = findStarted(trigger, start.occasion) ?? (await beginInTurn(trigger, start));
    sendJson(res, 200, run ? started(run, trigger) : reply({ message: 'Nothing is started by this event' }));
  }

  async function plainStart(trigger: Trigger, req: IncomingMessage, body: Buffer): Promise<Start> {
    const user = trigger.spec.condition.requireApiKey === true ? await requireUser(trigger, req) : undefined;
    const given = readWebhookBody(parse(body, req), trigger);
    return { occasion: occasionOf(trigger, req), ...given, ...(user && { by: user.name, groups: user.groups }) };
  }

  async function gitStarts(trigger: Trigger, req: IncomingMessage, body: Buffer): Promise<Start[]> {
    const { condition, minInterval } = trigger.spec;
    const provider = providerOf(req.headers);
    const secret = await tokens.secretOf(trigger, signal);
    const isKnown = provider !== undefined && isMeant(condition.provider, provider);
    if (!isKnown || secret === undefined || secret === '' || !isSigned(provider, req.headers, body, secret)) throw unauthorized();
    const payload = parse(body, req);
    const delivery = deliveryOf(provider, req.headers, body);
    const starts = readGitEvents(provider, req.headers, payload)
      .filter(event => isWanted(condition, event))
      .map(event => {
        const { repo, branch, happening, commit, moment } = event;
        if (moment !== undefined) return { occasion: `git ${repo} ${branch} ${happening} ${moment}`, payload: gitPayload(event, payload) };
        const what = `git ${repo} ${branch} ${happening} ${commit || (delivery === '' ? randomUUID() : '')}`;
        return { occasion: `${what} ${delivery}`, payload: gitPayload(event, payload) };
      });
    return minInterval === undefined ? starts : starts.slice(-1);
  }

  /** The first that comes with a key within a day is meant by all others. */
  function occasionOf(trigger: Trigger, req: IncomingMessage): string {
    const key = req.headers['idempotency-key'];
    if (typeof key !== 'string' || key === '') return `webhook ${randomUUID()}`;
    if (key.length > maxKeyLength) throw badRequest(`the header Idempotency-Key is longer than ${maxKeyLength} characters`);
    for (let round = 0; ; round++) {
      const occasion = `webhook key ${round} ${key}`;
      const present = findStarted(trigger, occasion);
      if (!present || now().getTime() - Date.parse(present.metadata.creationTimestamp ?? '') < repeatMs) return occasion;
    }
  }

  function findStarted(trigger: Trigger, occasion: string): StartedRun | undefined {
    const key = `${trigger.metadata.namespace}/${startedName(trigger, occasion)}`;
    return deps.runs.get(key) ?? deps.pipelineRuns.get(key);
  }

  async function requireUser(trigger: Trigger, req: IncomingMessage): Promise<UserInfo> {
    const kind = trigger.spec.action.pipelineRef ? PipelineRun : WorkflowRun;
    const wanted = {
      isResource: true as const,
      verb: 'create',
      group: kind.group,
      version: kind.version,
      resource: kind.resource,
      subresource: '',
      namespace: trigger.metadata.namespace ?? '',
      name: '',
    };
    const user = await access.identify(withApiKey(req), wanted);
    if (user.name === anonymous.name) throw unauthorized();
    const { allowed, reason } = await access.authorize(user, wanted);
    if (!allowed) throw forbiddenRequest(user, wanted, reason);
    return user;
  }

  async function checkOpen(trigger: Trigger, { groups = [] }: Start): Promise<void> {
    const { metadata, spec } = trigger;
    const closed = (message: string) => new StatusError(409, 'Conflict', message);
    if (spec.paused === true) throw closed(`trigger "${metadata.name}" is paused`);
    if (restsUntil(trigger, now())) throw closed(`trigger "${metadata.name}" started something a moment ago`);
    await foresight.checkFreezes(trigger, groups, now());
  }

  /** Where there is a least interval, one after the other, and by what was written last: many may come at once. */
  async function beginInTurn(trigger: Trigger, start: Start): Promise<StartedRun> {
    if (trigger.spec.minInterval === undefined) return begin(trigger, start);
    const { namespace, name = '', uid = '' } = trigger.metadata;
    const kind: KindRef<KubeObject> = trigger.spec.action.pipelineRef ? PipelineRun : WorkflowRun;
    const mine = (turns.get(uid) ?? Promise.resolve()).then(async () => {
      const present = await hub.get(kind, { namespace, name: startedName(trigger, start.occasion) }, { signal });
      if (present) return present as StartedRun;
      return begin((await hub.get(Trigger, { namespace, name }, { signal })) ?? trigger, start);
    });
    const over = mine.then(
      () => {},
      () => {},
    );
    turns.set(uid, over);
    void over.then(() => turns.get(uid) === over && turns.delete(uid));
    return mine;
  }

  async function begin(trigger: Trigger, start: Start): Promise<StartedRun> {
    await checkOpen(trigger, start);
    foresight.checkVariables(trigger, start.variables ?? {});
    const run = await startRun(deps, trigger, start, signal).catch((error: unknown) => {
      if (isRefusal(error)) throw badRequest(errorText(error));
      throw error;
    });
    await note(trigger, run);
    return run;
  }

  async function note({ metadata: { namespace = '', name = '' } }: Trigger, { metadata }: StartedRun): Promise<void> {
    const status = { lastFired: now().toISOString(), lastRun: metadata.name!, message: `Started ${metadata.name}` };
    try {
      await hub.patch(Trigger, { namespace, name }, { type: 'merge', body: { status } }, { subresource: 'status', fieldManager, signal });
    } catch (cause) {
      // What was started is started: whoever hears that it failed would send it again.
      log.warn('start not noted on its trigger', { ns: namespace, name, err: cause });
    }
  }

  function started(run: StartedRun, trigger: Trigger): object {
    const { uid } = run.metadata;
    return reply({
      requestId: uid!,
      status: 'RUNNING',
      uiUrl: pageAddress(serverUrl(), run),
      uiSetupUrl: pageAddress(serverUrl(), { ...trigger, apiVersion: run.apiVersion, kind: Trigger.kind }),
      apiUrl: `${serverUrl()}/api/external/v1/executions/${uid}/status`,
    });
  }
}

interface Reply {
  readonly requestId?: string;
  readonly status?: string;
  readonly uiUrl?: string;
  readonly uiSetupUrl?: string;
  readonly apiUrl?: string;
  readonly message?: string;
}

const reply = ({ requestId, status, uiUrl, uiSetupUrl, apiUrl, message }: Reply): object => ({
  requestId: requestId ?? null,
  status: status ?? null,
  error: null,
  uiUrl: uiUrl ?? null,
  uiSetupUrl: uiSetupUrl ?? null,
  apiUrl: apiUrl ?? null,
  message: message ?? null,
});

/** Harness calls the header of its keys so; ours are bearer tokens. */
export function withApiKey(req: IncomingMessage): IncomingMessage {
  const key = req.headers['x-api-key'];
  if (typeof key !== 'string' || key === '' || req.headers.authorization !== undefined) return req;
  req.headers.authorization = `Bearer ${key}`;
  // Whoever asks who somebody is reads these.
  req.rawHeaders.push('Authorization', req.headers.authorization);
  return req;
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw tooLarge(`Request entity too large: limit is ${maxBytes}`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** JSON, or what forms make of it: some senders of events do, unless they are told otherwise. */
function parse(body: Buffer, { headers }: IncomingMessage): JsonObject {
  if (body.length === 0) return {};
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  const isForm = /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '');
  const inForm = isForm ? new URLSearchParams(text).get('payload') : null;
  let value: unknown;
  try {
    value = parseJson(inForm ?? text);
  } catch (cause) {
    throw badRequest(`the body is not JSON: ${errorText(cause)}`);
  }
  if (!isJsonObject(value)) throw badRequest('the body must be a JSON object');
  return value;
}
