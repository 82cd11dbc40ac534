import type { IncomingMessage } from 'node:http';
import { apiVersionOf, type KubeObject } from '../../../api/object.ts';
import { apiPath } from '../../../client/api-path.ts';
import type { ObjectKey } from '../../../client/kube-client.ts';
import { readJson } from '../../../client/read-answer.ts';
import { isJsonObject, printJson, type Json } from '../../../util/json.ts';
import { NormanError } from '../v3/norman-error.ts';
import type { NormanAnswer } from '../v3/norman-type.ts';
import { maxBodyBytes, readBody } from '../v3/read-body.ts';
import type { SteveApi } from './steve-api.ts';
import { methodNotAllowed } from './steve-error.ts';
import { objectOf, steveResource } from './steve-resource.ts';
import { fetchTable } from './steve-table.ts';
import type { SteveType } from './steve-type.ts';

const answerTimeoutMs = 30_000;
const patchTypes = new Set([
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]);

/** Who writes through `/v1`, for the fields of objects. */
const fieldManager = 'rancher';

export async function createSteve(api: SteveApi, type: SteveType, req: IncomingMessage, place: string | undefined): Promise<NormanAnswer> {
  const body = objectOf(await readBody(req));
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
  const namespace = place ?? (typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined);
  if (type.scope === 'Namespaced' && (namespace ?? '') === '')
    throw new NormanError(422, 'MissingRequired', 'metadata.namespace is required', 'metadata.namespace');
  const object = {
    ...body,
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { ...metadata, ...(namespace !== undefined && { namespace }) },
  };
  const path = apiPath(type, { namespace }, { fieldManager });
  return { status: 201, body: await shownAfter(api, type, await send(api, 'POST', path, 'application/json', printJson(object))) };
}

/** PUT with the whole object, or PATCH in one of the forms that Kubernetes knows. */
export async function changeSteve(api: SteveApi, type: SteveType, req: IncomingMessage, key: ObjectKey): Promise<NormanAnswer> {
  const path = apiPath(type, key, { fieldManager });
  if (req.method === 'PATCH') {
    const contentType = (req.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
    if (!patchTypes.has(contentType))
      throw new NormanError(415, 'UnsupportedMediaType', `cannot patch with ${JSON.stringify(contentType)}`);
    return { status: 200, body: await shownAfter(api, type, await send(api, 'PATCH', path, contentType, await readText(req))) };
  }
  if (req.method !== 'PUT') throw methodNotAllowed(req.method ?? '');
  const object = { ...objectOf(await readBody(req)), apiVersion: apiVersionOf(type), kind: type.kind };
  return { status: 200, body: await shownAfter(api, type, await send(api, 'PUT', path, 'application/json', printJson(object))) };
}

export async function removeSteve(api: SteveApi, type: SteveType, key: ObjectKey): Promise<NormanAnswer> {
  const answer = await send(api, 'DELETE', apiPath(type, key), undefined, undefined);
  // The server shows an object that something still holds, and says "Status" of one that is gone.
  if (!isJsonObject(answer) || answer['kind'] !== type.kind) return { status: 204 };
  return { status: 200, body: await shownAfter(api, type, answer) };
}

async function shownAfter(api: SteveApi, type: SteveType, answer: Json) {
  const object = answer as unknown as KubeObject;
  const { namespace, name = '' } = object.metadata;
  // Columns come only with what is read. Who may write and not read is shown the object as it was answered.
  const reach = await api.rights.reach('get', type, namespace ?? '');
  if (!reach.covers(name)) return steveResource(api, type, { object, cells: [] });
  const { rows } = await fetchTable(api.client, type, { ...(namespace !== undefined && { namespace }), name }, api.signal);
  return steveResource(api, type, { object, cells: rows[0]?.cells ?? [] });
}

async function send(api: SteveApi, method: string, path: string, contentType: string | undefined, body: string | undefined): Promise<Json> {
  const headers = { accept: 'application/json', ...(contentType !== undefined && { 'content-type': contentType }) };
  const request = { method, path, headers, answerTimeoutMs, signal: api.signal, ...(body !== undefined && { body }) };
  return readJson(await api.client.request(request));
}

async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) throw new NormanError(413, 'RequestEntityTooLarge', `the body must not be longer than ${maxBodyBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
