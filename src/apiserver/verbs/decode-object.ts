import { invalid } from '../../api/field-error.ts';
import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts';
import { badRequest, invalidObject, type StatusError } from '../../api/status.ts';
import { cloneJson, isJsonObject, printJson, setMember, type Json, type JsonObject } from '../../util/json.ts';
import type { WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { BodyFault, documentProblem, readType, type TypedBody } from './body-type.ts';
import { reportProblems } from './field-validation.ts';

/** Where a body came from: what only its text tells travels with it. */
export interface DecodedBody {
  readonly value: Json;
  /** Found while reading the text, such as duplicate fields. */
  readonly problems: readonly string[];
  readonly raw?: Buffer;
  /** Whole numbers that were not written as integers. */
  readonly wholeFloats?: readonly WholeFloat[];
  /** Brings problems into the order of the text. */
  sortProblems?(problems: readonly string[]): string[];
}

export interface WholeFloat {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Turns the body of a POST or PUT into an object of the resource: right kind, Go's shape, defaults filled. */
export function decodeObject(resource: Resource, decoded: DecodedBody, request: WriteRequest): KubeObject {
  const typed = typedBody(resource, decoded);
  if (resource.isCustom) checkCustomType(resource, typed);
  else if (typed.apiVersion !== apiVersionOf(resource)) throw otherVersion(resource, typed.apiVersion);
  const body = typedObject(resource, typed.body);
  const found = [...decoded.problems];
  checkWholeFloats(resource, body, decoded.wholeFloats ?? []);
  const obj = shapeBody(resource, body, found);
  const isMixed = decoded.problems.length > 0 && found.length > decoded.problems.length;
  reportProblems(isMixed ? (decoded.sortProblems?.(found) ?? found) : found, resource, request);
  resource.codec.setDefaults(obj);
  return obj;
}

function typedBody(resource: Resource, { value, raw }: DecodedBody): TypedBody {
  try {
    return readType(resource, value, raw);
  } catch (error) {
    if (!(error instanceof BodyFault)) throw error;
    if (!error.claimed) throw unrecognized(resource.kind, error.message, raw ?? Buffer.from(printJson(value)));
    const { kind, version } = error.claimed;
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${error.message}`);
  }
}

/** Gives a body Go's shape. An empty list of managed fields is a word of its own, which printing would swallow. */
export function shapeBody(resource: Resource, body: KubeObject, problems: string[]): KubeObject {
  const obj = resource.codec.shape(resource.isCustom ? withDoubles(body) : body, problems);
  const { managedFields } = body.metadata;
  if (Array.isArray(managedFields) && managedFields.length === 0) obj.metadata.managedFields = [];
  return obj;
}

/** Integers beyond 64 bits are floats where no type says otherwise. The value itself when it has none. */
function withDoubles<T>(value: T): T {
  if (typeof value === 'bigint') return (BigInt.asIntN(64, value) === value ? value : Number(value)) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withDoubles);
    return items.every((item, i) => item === value[i]) ? value : (items as T);
  }
  const members = value as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  for (const key in members) {
    const kept = withDoubles(members[key]);
    if (kept !== members[key]) setMember((copy ??= { ...members }), key, kept);
  }
  return (copy ?? value) as T;
}

export function typedObject(resource: Resource, body: JsonObject): KubeObject {
  return {
    ...body,
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: (body.metadata ?? {}) as JsonObject,
  } as unknown as KubeObject;
}

const otherVersion = (resource: Resource, apiVersion: string) =>
  badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(resource)})`);

/** A custom object of another kind is decoded like any; validation then says what it should have been. */
export function checkCustomType(resource: Resource, { body, kind, apiVersion }: TypedBody, isPatch = false): void {
  if (!isPatch && apiVersion !== apiVersionOf(resource)) throw otherVersion(resource, apiVersion);
  const errors = [
    ...(kind === resource.kind ? [] : [invalid('kind', kind, `must be ${resource.kind}`)]),
    ...(apiVersion === apiVersionOf(resource) ? [] : [invalid('apiVersion', apiVersion, `must be ${apiVersionOf(resource)}`)]),
  ];
  if (errors.length === 0) return;
  const name = isJsonObject(body.metadata) && typeof body.metadata.name === 'string' ? body.metadata.name : '';
  throw invalidObject({ group: parseApiVersion(apiVersion).group, kind }, name, errors);
}

const maxSummaryBytes = 30;

/** The answer to a body of which not even the kind is known. */
export function unrecognized(kind: string, why: string, body: Buffer): StatusError {
  const start = body.subarray(0, maxSummaryBytes);
  const shown = body[0] === 0x7b ? start.toString('utf8') : start.toString('hex');
  const summary = body.length === 0 ? '<empty>' : body.length > maxSummaryBytes ? `${shown} ...` : shown;
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary})`);
}

/** Go refuses `1.0` for an integer. The decoder is shown numbers it must refuse there, and quoted with what was written. */
function checkWholeFloats(resource: Resource, body: KubeObject, floats: readonly WholeFloat[]): void {
  if (resource.isCustom || floats.length === 0) return;
  const copy = cloneJson(body) as unknown as JsonObject;
  floats.forEach(({ path }, i) => setOwnAt(copy, path, i + 0.5));
  try {
    resource.codec.shape(copy as unknown as KubeObject, []);
  } catch (error) {
    const { message } = error as Error;
    const [refused, index] = /number ([0-9]+)\.5\b/.exec(message) ?? [];
    const float = floats[Number(index)];
    if (refused !== undefined && float) throw badRequest(message.replace(refused, `number ${float.text}`));
  }
}

/** Replaces a member that is there; never follows what an object only inherits. */
function setOwnAt(root: JsonObject, path: readonly (string | number)[], value: number): void {
  let parent: Json | undefined = root;
  for (const step of path.slice(0, -1)) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, step)) return;
    parent = (parent as JsonObject)[step];
  }
  const last = path.at(-1);
  if (last === undefined || typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) return;
  (parent as JsonObject)[last] = value;
}

/** A document that can be asked for its kind, or undefined for null. Throws the words of Go's decoder otherwise. */
export function checkDocument(value: Json): JsonObject | undefined {
  const problem = documentProblem(value);
  if (problem !== undefined) throw badRequest(problem);
  return (value as JsonObject | null) ?? undefined;
}

/** The name in a body must be there, and be the one in the path. */
export function checkName(obj: KubeObject, name: string): void {
  const inBody = obj.metadata.name ?? '';
  if (inBody === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (inBody !== name) throw badRequest(`the name of the object (${inBody}) does not match the name on the URL (${name})`);
}

/** Puts an object into the namespace of the path; a body may leave it out but not name another. In place. */
export function placeInNamespace(obj: KubeObject, resource: Resource, namespace: string): void {
  const inBody = obj.metadata.namespace ?? '';
  if (!resource.namespaced) delete obj.metadata.namespace;
  else if (inBody === '') obj.metadata.namespace = namespace;
  else if (inBody !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
