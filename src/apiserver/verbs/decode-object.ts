import { apiVersionOf, parseApiVersion, type KubeObject } from '../../api/object.ts';
import { badRequest } from '../../api/status.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import type { WriteRequest } from '../request.ts';
import type { Resource } from '../resource.ts';
import { reportProblems } from './field-validation.ts';

/** Where a body came from: problems found while reading its text, such as duplicate fields, travel with it. */
export interface DecodedBody {
  readonly value: Json;
  readonly problems: readonly string[];
}

/** Turns the body of a POST or PUT into an object of the resource: right kind, Go's shape, defaults filled. */
export function decodeObject(resource: Resource, { value, problems }: DecodedBody, request: WriteRequest): KubeObject {
  const body = checkType(resource, value);
  const found = [...problems];
  const obj = resource.codec.shape(body, found);
  reportProblems(found, resource, request);
  resource.codec.setDefaults(obj);
  return obj;
}

/** A document that can be asked for its kind, or undefined for null. Throws the words of Go's decoder otherwise. */
export function checkDocument(value: Json): JsonObject | undefined {
  if (value === null) return undefined;
  if (!isJsonObject(value)) {
    const kind = Array.isArray(value) ? 'array' : typeof value;
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${kind === 'boolean' ? 'bool' : kind} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
  for (const field of ['apiVersion', 'kind'] as const) {
    const given = value[field];
    if (given !== undefined && given !== null && typeof given !== 'string') {
      const type =
        typeof given === 'boolean' ? 'bool' : Array.isArray(given) ? 'array' : typeof given === 'bigint' ? 'number' : typeof given;
      throw badRequest(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${field} of type string`,
      );
    }
  }
  return value;
}

function checkType(resource: Resource, doc: Json): KubeObject {
  const value = checkDocument(doc);
  if (!value) throw badRequest(`Object 'Kind' is missing in 'null'`);
  const kind = (value.kind as string | null | undefined) ?? '';
  const apiVersion = (value.apiVersion as string | null | undefined) ?? '';
  if (resource.isCustom) {
    if (kind === '') throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
    if (apiVersion === '') throw badRequest(`Object 'apiVersion' is missing in '${JSON.stringify(value)}'`);
  }
  const wanted = apiVersionOf(resource);
  if (kind !== '' && kind !== resource.kind && (apiVersion === '' || apiVersion === wanted)) throw wrongKind(resource, kind, apiVersion);
  if (apiVersion !== '' && apiVersion !== wanted) {
    if (kind !== '' && kind !== resource.kind) throw wrongKind(resource, kind, apiVersion);
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${wanted})`);
  }
  return { ...value, kind: resource.kind, apiVersion: wanted, metadata: (value.metadata ?? {}) as JsonObject } as unknown as KubeObject;
}

function wrongKind(resource: Resource, kind: string, apiVersion: string) {
  const { group, version } = parseApiVersion(apiVersion === '' ? apiVersionOf(resource) : apiVersion);
  if (resource.isCustom) {
    return badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind`);
  }
  return badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: converting (${group === '' ? '' : `${group}.`}${kind}) to (${group === '' ? '' : `${resource.group}.`}${resource.kind}): unknown conversion`,
  );
}

/** The name in a body must be the one in the path. */
export function checkName(obj: KubeObject, name: string): void {
  const inBody = obj.metadata.name ?? '';
  if (inBody !== '' && inBody !== name) {
    throw badRequest(`the name of the object (${inBody}) does not match the name on the URL (${name})`);
  }
}

export function checkNamespace(obj: KubeObject, namespace: string): void {
  const inBody = obj.metadata.namespace ?? '';
  if (inBody !== '' && inBody !== namespace) {
    throw badRequest(`the namespace of the object (${inBody}) does not match the namespace on the URL (${namespace})`);
  }
}
