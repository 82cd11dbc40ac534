import { apiVersionOf, parseApiVersion } from '../../api/object.ts';
import { structOfKind } from '../facts/facts.ts';
import { internalPackage } from '../go-type-name.ts';
import type { Resource } from '../resource.ts';
import { GoJsonError } from '../schema/go-json-error.ts';
import { shapeObject } from '../schema/shape.ts';
import { isJsonObject, printJson, type Json, type JsonObject } from '../../util/json.ts';

/** Why a document cannot be read as an object of a resource, in the words of the real decoder. */
export class BodyFault extends Error {
  /** The type the document claims to be, when it could be asked. */
  readonly claimed: { kind: string; version: string } | undefined;

  constructor(message: string, claimed?: { kind: string; version: string }) {
    super(message);
    this.claimed = claimed;
  }
}

const typeProbe = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** What Go says to a document that cannot be asked for its kind. Null can: it has none. */
export function documentProblem(value: Json): string | undefined {
  const cannot = (what: Json, target: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(what)} into Go ${target}`;
  if (value === null) return undefined;
  if (!isJsonObject(value)) return cannot(value, `value of type ${typeProbe}`);
  for (const field of ['apiVersion', 'kind'] as const) {
    const given = value[field];
    if (given !== undefined && given !== null && typeof given !== 'string') return cannot(given, `struct field .${field} of type string`);
  }
  return undefined;
}

export function goKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

export interface TypedBody {
  readonly body: JsonObject;
  readonly kind: string;
  readonly apiVersion: string;
}

/** The document with the type it claims; a built-in kind need not claim any. `raw` is its text. */
export function readType(resource: Resource, value: Json, raw?: Buffer): TypedBody {
  const problem = documentProblem(value);
  if (problem !== undefined) throw new BodyFault(problem);
  const body = (value ?? {}) as JsonObject;
  const kind = (body.kind as string | null | undefined) ?? '';
  const apiVersion = (body.apiVersion as string | null | undefined) ?? '';
  if (apiVersion.split('/').length > 2) throw new BodyFault(`unexpected GroupVersion string: ${apiVersion}`);
  if (!resource.isCustom) return readBuiltinType(resource, body, kind || resource.kind, apiVersion || apiVersionOf(resource));
  if (kind === '') throw new BodyFault(`Object 'Kind' is missing in '${raw?.toString('utf8') ?? printJson(value)}'`);
  return { body, kind, apiVersion };
}

function readBuiltinType(resource: Resource, body: JsonObject, kind: string, apiVersion: string): TypedBody {
  if (kind === resource.kind && apiVersion === apiVersionOf(resource)) return { body, kind, apiVersion };
  const { group, version } = parseApiVersion(apiVersion);
  const struct = isInScheme(resource, group) ? structOfKind({ group, version, kind }) : undefined;
  const claimed = { kind, version };
  if (!struct) {
    throw new BodyFault(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
      claimed,
    );
  }
  if (kind === resource.kind && internalPackage(group, kind) === internalPackage(resource.group, kind)) return { body, kind, apiVersion };
  try {
    shapeObject(struct, body, []);
  } catch (error) {
    if (error instanceof GoJsonError) throw new BodyFault(error.message, claimed);
    throw error;
  }
  const target = `${internalPackage(resource.group, resource.kind)}.${resource.kind}`;
  throw new BodyFault(`converting (${version}.${kind}) to (${target}): unknown conversion`, claimed);
}

/** Definitions and API services are read by servers of their own, which know no other kinds. */
function isInScheme(resource: Resource, group: string): boolean {
  const own = ['apiextensions.k8s.io', 'apiregistration.k8s.io'];
  return resource.group === group || !(own.includes(group) || own.includes(resource.group));
}
