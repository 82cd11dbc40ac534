import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { customSchemaV2 } from './custom-schema.ts';
import { answerWords } from './document-v3.ts';
import { groupByPath, operationsOf, type Operation, type Parameter, type PublishedResource } from './operations.ts';
import { schemaName, schemaSource, type CustomSchemas, type GroupVersion } from './schema-source.ts';

/** The swagger v2 document of everything that is served. */
export function openApiV2Document(resources: readonly PublishedResource[], customSchemas: CustomSchemas): JsonObject {
  const gvs = [
    ...new Map(resources.map(({ group, version }): [string, GroupVersion] => [`${group}/${version}`, { group, version }])).values(),
  ];
  const operations = gvs.flatMap(gv =>
    operationsOf(
      gv,
      resources.filter(r => r.group === gv.group && r.version === gv.version),
    ),
  );
  const custom = resources.filter(r => r.isCustom);
  const builtinGvs = gvs.filter(gv => resources.some(r => !r.isCustom && r.group === gv.group && r.version === gv.version));
  const names = operations.flatMap(({ answer, body }) => [answer, body?.schema]).filter(name => name !== undefined);
  const schemas = schemaSource(builtinGvs, custom, customSchemas).closure([...names, 'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent']);
  const customNames = new Set(custom.map(schemaName));
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: '1.36' },
    paths: pathsOf(operations),
    definitions: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [
        name,
        customNames.has(name) ? customSchemaV2(schema) : builtinSchemaV2(name, schema),
      ]),
    ),
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}

/** What swagger cannot say about either-or scalars. */
const scalars: Readonly<Record<string, JsonObject>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
};

const builtinSchemaV2 = (name: string, schema: JsonObject) => scalars[name] ?? (withoutDefaults(schema) as JsonObject);

/** References stand alone in swagger, and defaults are not published there. */
function withoutDefaults(value: Json, isTable = false): Json {
  if (Array.isArray(value)) return value.map(item => withoutDefaults(item));
  if (!isJsonObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    if (isTable) out[key] = withoutDefaults(inner);
    else if (key === 'allOf' && Array.isArray(inner) && inner.length === 1) Object.assign(out, withoutDefaults(inner[0]!));
    else if (key === '$ref') out[key] = (inner as string).replace('#/components/schemas/', '#/definitions/');
    else if (key !== 'default') out[key] = withoutDefaults(inner, key === 'properties');
  }
  return out;
}

function pathsOf(operations: readonly Operation[]): JsonObject {
  return Object.fromEntries(
    groupByPath(operations).map(({ path, parameters, operations }) => [
      path,
      {
        ...Object.fromEntries(operations.map(operation => [operation.method, operationV2(operation)])),
        ...(parameters.length > 0 && { parameters: parameters.map(parameterV2) }),
      },
    ]),
  );
}

function operationV2({ tag, id, action, gvk, method, parameters, body, answer, codes, produces }: Operation): JsonObject {
  const schema: JsonObject = answer === undefined ? { type: 'string' } : { $ref: `#/definitions/${answer}` };
  const bodyParameter: JsonObject[] = body
    ? [{ name: 'body', in: 'body', ...(body.isRequired && { required: true }), schema: { $ref: `#/definitions/${body.schema}` } }]
    : [];
  const all = [...bodyParameter, ...parameters.map(parameterV2)];
  return {
    consumes: [...(body && method === 'patch' ? body.types : body && !body.types.includes('*/*') ? body.types : ['*/*'])],
    produces: [...produces],
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(all.length > 0 && { parameters: all }),
    responses: {
      ...Object.fromEntries(codes.map(code => [code, { description: answerWords[code]!, schema }])),
      '401': { description: 'Unauthorized' },
    },
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(gvk && { 'x-kubernetes-group-version-kind': { group: gvk.group, kind: gvk.kind, version: gvk.version } }),
  };
}

function parameterV2({ name, in: where, type }: Parameter): JsonObject {
  return { uniqueItems: true, type, name, in: where, ...(where === 'path' && { required: true }) };
}
