import type { DeclaredKind, KindRef } from '../../api/define-kind.ts';
import { inertFieldsIn } from '../../api/inert-fields.ts';
import type { KubeObject } from '../../api/object.ts';
import { schemaOfDeclared, type OpenApiSchema } from '../../api/openapi-schema.ts';
import type { AdmissionRequest } from './admission-review.ts';

const schemas = new WeakMap<KindRef, OpenApiSchema>();
/** Clients show warnings one below the other. */
const mostWarnings = 5;

/** Warns of what is written and changes nothing, as far as it was not there before. */
export function inertWarnings(kind: KindRef, { object, oldObject }: Pick<AdmissionRequest, 'object' | 'oldObject'>): string[] {
  const schema = schemaOf(kind);
  if (!schema || !object) return [];
  const fields = (one: KubeObject) => inertFieldsIn(one, schema);
  const before = new Set(oldObject ? fields(oldObject).map(({ path }) => path) : []);
  const fresh = fields(object).filter(({ path }) => !before.has(path));
  const shown = fresh.slice(0, mostWarnings).map(({ path, why }) => `${path.slice(1)} is not acted upon here${why && `: ${why}`}`);
  const left = fresh.length - shown.length;
  return left > 0 ? [...shown, `${left} more fields are not acted upon here`] : shown;
}

function schemaOf(kind: KindRef): OpenApiSchema | undefined {
  if (!('definition' in kind)) return undefined;
  const known = schemas.get(kind);
  if (known) return known;
  const schema = schemaOfDeclared(kind as DeclaredKind);
  schemas.set(kind, schema);
  return schema;
}
