import type { KindRef } from '../api/define-kind.ts';

export interface ApiPathParts {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of a collection, an object or a subresource. Throws when the namespace that a namespaced object must have is missing. */
export function apiPath({ group, version, resource, scope }: KindRef, parts: ApiPathParts = {}, query: Query = {}): string {
  const { namespace, name, subresource } = parts;
  const segments = group === '' ? ['api', version] : ['apis', group, version];
  if (scope === 'Namespaced' && namespace !== undefined && namespace !== '') segments.push('namespaces', namespace);
  else if (scope === 'Namespaced' && name !== undefined) throw new Error(`${resource} "${name}" must be named with its namespace`);
  segments.push(resource);
  if (name !== undefined) segments.push(name);
  if (subresource !== undefined && subresource !== '') segments.push(...subresource.split('/'));
  const odd = segments.find(segment => segment === '' || segment === '.' || segment === '..');
  // Without its name an object's path would be that of its whole collection.
  if (odd !== undefined) throw new Error(`"${odd}" is not a name for anything in ${resource}`);
  return `/${segments.map(encodeURIComponent).join('/')}${queryText(query)}`;
}

function queryText(query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') params.set(name, String(value));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
