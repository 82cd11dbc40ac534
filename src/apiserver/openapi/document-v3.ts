import type { JsonObject } from '../../util/json.ts';
import { groupByPath, operationsOf, type Operation, type Parameter, type PublishedResource } from './operations.ts';
import { clientGroupVersions, schemaSource, type CustomSchemas, type GroupVersion } from './schema-source.ts';

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const security = { BearerToken: { type: 'apiKey', description: 'Bearer Token authentication', name: 'authorization', in: 'header' } };

/** The OpenAPI v3 document of one group version. */
export function openApiV3Document(gv: GroupVersion, resources: readonly PublishedResource[], customSchemas: CustomSchemas): JsonObject {
  const served = resources.filter(r => r.group === gv.group && r.version === gv.version);
  const custom = served.filter(r => r.isCustom);
  const operations = operationsOf(gv, served);
  const isCustom = custom.length === served.length;
  const source = schemaSource(isCustom ? clientGroupVersions : [gv], custom, customSchemas);
  const names = operations.flatMap(({ answer, body }) => [answer, body?.schema]).filter(name => name !== undefined);
  const watched = served.some(r => !r.isCustom && r.verbs.includes('watch')) ? ['io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent'] : [];
  return {
    openapi: '3.0.0',
    info: isCustom ? { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } : { title: 'Kubernetes', version: '1.36' },
    paths: pathsOf(operations),
    components: { schemas: source.closure([...names, ...watched]), ...(!isCustom && { securitySchemes: security }) },
  };
}

/** Documents of paths that only tell something, such as `/apis/apps/`. */
export function openApiV3PlainDocument(path: string, id: string, tag: string, answer: string | undefined, type = '*/*'): JsonObject {
  const operation: Operation = {
    path,
    method: 'get',
    id,
    tag,
    parameters: [],
    answer,
    codes: ['200'],
    produces: answer === undefined ? [type] : ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'],
  };
  const schemas = answer === undefined ? {} : schemaSource([], [], new Map()).closure([answer]);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.36' },
    paths: { [path]: { get: operationV3(operation) } },
    components: { schemas, securitySchemes: security },
  };
}

function pathsOf(operations: readonly Operation[]): JsonObject {
  return Object.fromEntries(
    groupByPath(operations).map(({ path, parameters, operations }) => [
      path,
      {
        ...Object.fromEntries(operations.map(operation => [operation.method, operationV3(operation)])),
        ...(parameters.length > 0 && { parameters: parameters.map(parameterV3) }),
      },
    ]),
  );
}

function operationV3({ tag, id, action, gvk, parameters, body, answer, codes, produces }: Operation): JsonObject {
  const content = (types: readonly string[], schema: JsonObject) => Object.fromEntries(types.map(type => [type, { schema }]));
  const answered: JsonObject = content(produces, answer === undefined ? { type: 'string' } : reference(answer));
  return {
    tags: [tag],
    operationId: id,
    ...(parameters.length > 0 && { parameters: parameters.map(parameterV3) }),
    ...(body && { requestBody: { content: content(body.types, reference(body.schema)), ...(body.isRequired && { required: true }) } }),
    responses: {
      ...Object.fromEntries(codes.map(code => [code, { description: answerWords[code]!, content: answered }])),
      '401': { description: 'Unauthorized' },
    },
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(gvk && { 'x-kubernetes-group-version-kind': { group: gvk.group, version: gvk.version, kind: gvk.kind } }),
  };
}

function parameterV3({ name, in: where, type }: Parameter): JsonObject {
  return { name, in: where, ...(where === 'path' && { required: true }), schema: { type, uniqueItems: true } };
}

export const answerWords: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };
