import type { IncomingMessage, ServerResponse } from 'node:http';
import { unauthorized } from '../../../api/status.ts';
import type { HubAccess } from '../../../auth/hub-access.ts';
import { anonymous, type UserInfo } from '../../../auth/user.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { serverOf } from '../../../gateway/server-url.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { Settings } from '../clusters/settings.ts';
import type { rightsDesk } from './caller-rights.ts';
import { normanMethods, type NormanContext, type NormanMethod } from './norman-context.ts';
import { methodNotSupported } from './norman-error.ts';
import { parseNormanTarget } from './norman-target.ts';
import { readBody } from './read-body.ts';

export interface ContextDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly access: HubAccess;
  readonly settings: Settings;
  readonly rights: ReturnType<typeof rightsDesk>;
  /** Where people find the hub, as its operator said; what they called it when absent. */
  readonly serverUrl?: string | undefined;
}

/** Nobody waits longer for an answer. */
const answerMs = 60_000;

/** Who asks and what for. Throws 401 when nobody has signed in, and 405 for methods that there are not. */
export async function openContext(deps: ContextDeps, req: IncomingMessage, res: ServerResponse): Promise<NormanContext> {
  methodOf(req);
  const caller = await signedIn(deps.access, req);
  return contextFor(deps, req, caller, AbortSignal.any([AbortSignal.timeout(answerMs), goneWith(res)]));
}

/** The context of a request of somebody who is known already. */
export function contextFor(deps: ContextDeps, req: IncomingMessage, caller: UserInfo, signal: AbortSignal): NormanContext {
  const base = baseOf(deps, req);
  const hub = deps.access.as(caller);
  let body: Promise<JsonObject> | undefined;
  return {
    req,
    method: methodOf(req),
    query: parseNormanTarget(req.url ?? '').query,
    caller,
    hub,
    system: deps.hub,
    rights: deps.rights.of(caller, hub),
    base,
    root: `${base}/v3`,
    signal,
    body: () => (body ??= readBody(req)),
  };
}

/** Who has signed in. Throws 401 when nobody has. */
export async function signedIn(access: HubAccess, req: IncomingMessage): Promise<UserInfo> {
  const path = (req.url ?? '').split('?', 1)[0]!;
  const caller = await access.identify(req, { isResource: false, verb: (req.method ?? '').toLowerCase(), path });
  if (caller.name === anonymous.name) throw unauthorized();
  return caller;
}

export function methodOf({ method = '' }: IncomingMessage): NormanMethod {
  const known = normanMethods.find(one => one === method);
  if (!known) throw methodNotSupported(method);
  return known;
}

/** The address that links begin with: what the setting says, when somebody has set it. */
export function baseOf({ settings, serverUrl }: Pick<ContextDeps, 'settings' | 'serverUrl'>, req: IncomingMessage): string {
  const { value, source } = settings.effective('server-url');
  const configured = source === 'default' ? serverUrl : value;
  return serverOf(req, configured === '' ? undefined : configured).replace(/\/+$/, '');
}

function goneWith(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort(new Error('the client has gone')));
  return gone.signal;
}
