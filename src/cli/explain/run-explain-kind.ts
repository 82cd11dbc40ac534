import { StatusError } from '../../api/status.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { readJson } from '../../client/read-answer.ts';
import { CommandError } from '../exit-codes.ts';
import { withResources, type ApiSource } from '../resources/api-source.ts';
import { explainFields, fieldsBelow } from './explain-fields.ts';
import { parseKindArgument } from './kind-argument.ts';
import type { OpenApiDocument } from '../../api/openapi-schema.ts';

export interface KindQuestion {
  /** `KIND[.field…]`. */
  readonly argument: string;
  /** `group/version`; the preferred one when absent. */
  readonly apiVersion: string | undefined;
  readonly isRecursive: boolean;
}

/** What the server itself says about a kind or a field, in the form of `kubectl explain`. */
export function explainKind(source: ApiSource, { argument, apiVersion, isRecursive }: KindQuestion, signal: AbortSignal): Promise<string> {
  return withResources(source, signal, async resources => {
    const { resource, path } = parseKindArgument(resources, argument);
    const { group, version, kind } = apiVersion === undefined ? resource : inVersion(resources, resource, apiVersion);
    const document = await fetchDocument(source, { group, version }, signal);
    return explainFields({ document, gvk: { group, version, kind }, path, isRecursive });
  });
}

/** The fields that may stand behind `KIND.field.`, for those who complete it. */
export function fieldsOfKind(source: ApiSource, argument: string, signal: AbortSignal): Promise<readonly string[]> {
  return withResources(source, signal, async resources => {
    const { resource, path } = parseKindArgument(resources, argument);
    const { group, version, kind } = resource;
    return fieldsBelow({ document: await fetchDocument(source, resource, signal), gvk: { group, version, kind }, path }) ?? [];
  });
}

function inVersion(all: readonly ApiResource[], { resource, kind }: ApiResource, apiVersion: string): ApiResource {
  const served = all.filter(one => one.resource === resource);
  const apiVersionOf = ({ group, version }: ApiResource) => (group === '' ? version : `${group}/${version}`);
  const found = served.find(one => apiVersionOf(one) === apiVersion);
  if (!found)
    throw new CommandError(`${kind} is not served in "${apiVersion}"`, { hint: `it is in: ${served.map(apiVersionOf).join(', ')}` });
  return found;
}

async function fetchDocument(
  { client }: ApiSource,
  gv: Pick<ApiResource, 'group' | 'version'>,
  signal: AbortSignal,
): Promise<OpenApiDocument> {
  const path = `/openapi/v3/${gv.group === '' ? `api/${gv.version}` : `apis/${gv.group}/${gv.version}`}`;
  try {
    return (await readJson(
      await client.request({ method: 'GET', path, headers: { accept: 'application/json' }, signal }),
    )) as unknown as OpenApiDocument;
  } catch (cause) {
    if (!(cause instanceof StatusError) || cause.code !== 404) throw cause;
    throw new CommandError(`the server does not describe ${gv.group || 'its core'}/${gv.version}`, {
      hint: 'it may serve no OpenAPI v3; "kubectl explain" also reads version 2',
    });
  }
}
