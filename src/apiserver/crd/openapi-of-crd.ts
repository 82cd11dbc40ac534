import type { JsonObject } from '../../util/json.ts';
import { publishedCustomSchema } from '../openapi/custom-schema.ts';
import { customSchemaKey } from '../openapi/schema-source.ts';
import type { CustomResource } from './custom-resources.ts';

/** The OpenAPI v3 schema that stands for a version of a custom resource. */
export function openApiOfCustomResource({ group, version, kind, schema }: CustomResource): JsonObject {
  return publishedCustomSchema({ group, version, kind }, schema as unknown as JsonObject);
}

/** The declared schemas of custom resources, by the key under which OpenAPI documents look for them. */
export function customSchemasOf(resources: Iterable<CustomResource>): Map<string, JsonObject> {
  return new Map([...resources].map(resource => [customSchemaKey(resource), resource.schema as unknown as JsonObject]));
}
