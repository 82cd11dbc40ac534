import type { KubeObject } from '../../../api/object.ts';
import { readStatusError } from '../../../client/read-answer.ts';
import { printJson, type Json, type JsonObject } from '../../../util/json.ts';
import type { SteveApi } from '../v1/steve-api.ts';
import type { SteveType } from '../v1/steve-type.ts';
import type { MachineSituation } from './actions-of.ts';
import type { MachineSurroundings } from './machine-surroundings.ts';
import { subresourceGroup, typeIds } from './member-abilities.ts';

/** One virtual machine of which something is asked. Everything is done as the caller: the member decides. */
export interface MachineContext {
  readonly api: SteveApi;
  readonly vm: KubeObject;
  readonly type: SteveType;
  readonly situation: MachineSituation;
  readonly surroundings: MachineSurroundings;
  readonly body: JsonObject;
}

/** Who writes, for the fields of objects. */
export const fieldManager = 'harvester';
const answerTimeoutMs = 30_000;

export const keyOf = ({ metadata: { namespace = '', name = '' } }: KubeObject) => ({ namespace, name });

export async function patchMachine({ api, vm, type }: Pick<MachineContext, 'api' | 'vm' | 'type'>, body: JsonObject): Promise<void> {
  await api.client.patch(type, keyOf(vm), { type: 'merge', body }, { fieldManager, signal: api.signal });
}

/** False when the member has no such subresource. */
export async function callSubresource(ctx: MachineContext, subresource: string, body: Json = {}): Promise<boolean> {
  const { api, vm, situation } = ctx;
  if (!situation.abilities.subresources.has(subresource)) return false;
  const [resource = '', verb = ''] = subresource.split('/');
  const { namespace, name } = keyOf(vm);
  const path = `${subresourceGroup}/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}/${verb}`;
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const answer = await api.client.request({ method: 'PUT', path, headers, body: printJson(body), answerTimeoutMs, signal: api.signal });
  if (answer.status < 200 || answer.status > 299) throw await readStatusError(answer);
  answer.body.resume();
  return true;
}

/** Ends what runs of the machine. Its controller decides whether it runs again. */
export async function deleteInstance({ api, vm }: MachineContext, graceSeconds?: number): Promise<void> {
  const type = api.types.find(typeIds.instance);
  if (!type) return;
  const { namespace, name } = keyOf(vm);
  const path = `/apis/${type.group}/${type.version}/namespaces/${encodeURIComponent(namespace)}/${type.resource}/${encodeURIComponent(name)}`;
  const search = graceSeconds === undefined ? '' : `?gracePeriodSeconds=${graceSeconds}`;
  const answer = await api.client.request({ method: 'DELETE', path: path + search, answerTimeoutMs, signal: api.signal });
  if (answer.status !== 404 && (answer.status < 200 || answer.status > 299)) throw await readStatusError(answer);
  answer.body.resume();
}
