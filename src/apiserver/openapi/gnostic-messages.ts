import type { JsonObject } from '../../util/json.ts';

/** Fields of the messages of gnostic's OpenAPIv2.proto by their JSON names: what swagger documents of Kubernetes contain of them. */
export type FieldType =
  | 'string'
  | 'bool'
  | 'int'
  | 'double'
  | 'any'
  | 'strings'
  | 'schemas'
  | 'schemaOrBool'
  | MessageName
  | OneOfName
  | { readonly list: FieldType }
  | { readonly table: FieldType; readonly entry?: number };

export type MessageName =
  | 'Document'
  | 'Info'
  | 'PathItem'
  | 'Operation'
  | 'BodyParameter'
  | 'QueryParameter'
  | 'PathParameter'
  | 'JsonReference'
  | 'Response'
  | 'Schema'
  | 'ExternalDocs'
  | 'ApiKeySecurity'
  | 'SecurityRequirement';

type OneOfName = 'parametersItem' | 'responseValue' | 'schemaItem' | 'securityItem';
type Fields = Readonly<Record<string, readonly [number: number, type: FieldType]>>;

export const messages: Readonly<Record<MessageName, Fields>> = {
  Document: {
    swagger: [1, 'string'],
    info: [2, 'Info'],
    host: [3, 'string'],
    basePath: [4, 'string'],
    schemes: [5, { list: 'string' }],
    consumes: [6, { list: 'string' }],
    produces: [7, { list: 'string' }],
    paths: [8, { table: 'PathItem', entry: 2 }],
    definitions: [9, { table: 'Schema' }],
    security: [12, { list: 'SecurityRequirement' }],
    securityDefinitions: [13, { table: 'securityItem' }],
  },
  Info: { title: [1, 'string'], version: [2, 'string'], description: [3, 'string'] },
  PathItem: {
    get: [2, 'Operation'],
    put: [3, 'Operation'],
    post: [4, 'Operation'],
    delete: [5, 'Operation'],
    options: [6, 'Operation'],
    head: [7, 'Operation'],
    patch: [8, 'Operation'],
    parameters: [9, { list: 'parametersItem' }],
  },
  Operation: {
    tags: [1, { list: 'string' }],
    summary: [2, 'string'],
    description: [3, 'string'],
    operationId: [5, 'string'],
    produces: [6, { list: 'string' }],
    consumes: [7, { list: 'string' }],
    parameters: [8, { list: 'parametersItem' }],
    responses: [9, { table: 'responseValue' }],
    schemes: [10, { list: 'string' }],
    deprecated: [11, 'bool'],
  },
  BodyParameter: {
    description: [1, 'string'],
    name: [2, 'string'],
    in: [3, 'string'],
    required: [4, 'bool'],
    schema: [5, 'Schema'],
  },
  QueryParameter: {
    required: [1, 'bool'],
    in: [2, 'string'],
    description: [3, 'string'],
    name: [4, 'string'],
    type: [6, 'string'],
    format: [7, 'string'],
    uniqueItems: [20, 'bool'],
  },
  PathParameter: {
    required: [1, 'bool'],
    in: [2, 'string'],
    description: [3, 'string'],
    name: [4, 'string'],
    type: [5, 'string'],
    format: [6, 'string'],
    uniqueItems: [19, 'bool'],
  },
  JsonReference: { $ref: [1, 'string'], description: [2, 'string'] },
  Response: { description: [1, 'string'], schema: [2, 'schemaItem'] },
  Schema: {
    $ref: [1, 'string'],
    format: [2, 'string'],
    title: [3, 'string'],
    description: [4, 'string'],
    default: [5, 'any'],
    multipleOf: [6, 'double'],
    maximum: [7, 'double'],
    exclusiveMaximum: [8, 'bool'],
    minimum: [9, 'double'],
    exclusiveMinimum: [10, 'bool'],
    maxLength: [11, 'int'],
    minLength: [12, 'int'],
    pattern: [13, 'string'],
    maxItems: [14, 'int'],
    minItems: [15, 'int'],
    uniqueItems: [16, 'bool'],
    maxProperties: [17, 'int'],
    minProperties: [18, 'int'],
    required: [19, { list: 'string' }],
    enum: [20, { list: 'any' }],
    additionalProperties: [21, 'schemaOrBool'],
    type: [22, 'strings'],
    items: [23, 'schemas'],
    allOf: [24, { list: 'Schema' }],
    properties: [25, { table: 'Schema' }],
    discriminator: [26, 'string'],
    readOnly: [27, 'bool'],
    externalDocs: [29, 'ExternalDocs'],
    example: [30, 'any'],
  },
  ExternalDocs: { description: [1, 'string'], url: [2, 'string'] },
  ApiKeySecurity: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] },
  // A table without a message around it.
  SecurityRequirement: {},
};

/** Field numbers of the vendor extensions (`x-…`). */
export const extensionsOf: Partial<Record<MessageName, number>> = {
  Document: 16,
  Info: 7,
  PathItem: 10,
  Operation: 13,
  BodyParameter: 6,
  QueryParameter: 23,
  PathParameter: 22,
  Response: 5,
  Schema: 31,
  ExternalDocs: 3,
  ApiKeySecurity: 5,
};

/** The field numbers through which the chosen message of a oneof is reached. */
export const oneOfs: Readonly<Record<OneOfName, (value: JsonObject) => readonly number[]>> = {
  parametersItem(value) {
    if (typeof value['$ref'] === 'string') return [2];
    // Parameter, then body or non-body, then query or path.
    if (value['in'] === 'body') return [1, 1];
    return [1, 2, value['in'] === 'path' ? 4 : 3];
  },
  responseValue: value => (typeof value['$ref'] === 'string' ? [2] : [1]),
  schemaItem: () => [1],
  securityItem: () => [2],
};
