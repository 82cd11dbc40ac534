import type { JsonObject } from '../../util/json.ts';
import { customSchemaKey } from '../openapi/schema-source.ts';
import type { CustomResource } from './custom-resources.ts';

/** The declared schemas of custom resources, by the key under which OpenAPI documents look for them. */
export function customSchemasOf(resources: Iterable<CustomResource>): Map<string, JsonObject> {
  return new Map([...resources].map(resource => [customSchemaKey(resource), resource.schema as unknown as JsonObject]));
}
