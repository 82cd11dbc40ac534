import type { AccessAttributes, ResourceAttributes } from '../../auth/user.ts';
import { parseFieldSelector } from '../validation/field-selector.ts';
import type { RequestTarget } from './request-target.ts';

/** What the path and method of a request ask for. */
export interface RequestInfo {
  /** Present for requests to resources; everything else is a path. */
  readonly resource: ResourceAttributes | undefined;
  readonly path: string;
  readonly verb: string;
  readonly query: URLSearchParams;
  /** How many segments follow the subresource. */
  readonly extraSegments: number;
}

const verbsByMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  GET: 'get',
  HEAD: 'get',
};

/** Third segments below a namespace that belong to the namespace itself. */
const namespaceSubresources = new Set(['status', 'finalize']);

export function parseRequestInfo(method: string, { path, query }: RequestTarget): RequestInfo {
  const parsed = parseResource(method, path, query);
  const { resource, extraSegments = 0 } = parsed ?? {};
  return { resource, path, query, extraSegments, verb: resource?.verb ?? method.toLowerCase() };
}

export const attributesOf = (info: RequestInfo): AccessAttributes =>
  info.resource ?? { isResource: false, verb: info.verb, path: info.path };

interface ParsedResource {
  readonly resource: ResourceAttributes;
  readonly extraSegments: number;
}

function parseResource(method: string, path: string, query: URLSearchParams): ParsedResource | undefined {
  const segments = path.replace(/^\/+/, '').replace(/\/+$/, '').split('/');
  let group = '';
  let rest: string[];
  if (segments[0] === 'api' && segments.length >= 3) rest = segments.slice(1);
  else if (segments[0] === 'apis' && segments.length >= 4) {
    group = segments[1]!;
    rest = segments.slice(2);
  } else return undefined;

  const version = rest[0]!;
  let parts = rest.slice(1);
  let verb = verbsByMethod[method] ?? '';
  if (parts[0] === 'watch' && parts.length >= 2) {
    verb = 'watch';
    parts = parts.slice(1);
  } else if (parts[0] === 'proxy' && parts.length >= 2) {
    verb = 'proxy';
    parts = parts.slice(1);
  }

  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1]!;
    if (parts.length > 2 && !namespaceSubresources.has(parts[2]!)) parts = parts.slice(2);
  }
  const [resource = '', name = '', ...subresource] = parts;
  if (name === '' && verb === 'get') verb = 'list';
  if (verb === 'list' && isWatch(query)) verb = 'watch';
  if (name === '' && verb === 'delete') verb = 'deletecollection';
  return {
    resource: {
      isResource: true,
      verb,
      group,
      version,
      resource,
      subresource: subresource[0] ?? '',
      namespace,
      name: name === '' ? nameFromSelector(verb, query) : name,
    },
    extraSegments: Math.max(0, subresource.length - 1),
  };
}

function isWatch(query: URLSearchParams): boolean {
  const watch = query.get('watch')?.toLowerCase();
  return watch !== undefined && watch !== 'false' && watch !== '0';
}

/** A list, watch or collection delete of exactly one name is authorized with that name. */
function nameFromSelector(verb: string, query: URLSearchParams): string {
  if (verb !== 'list' && verb !== 'watch') return '';
  const selector = query.get('fieldSelector') ?? '';
  if (!selector.includes('metadata.name')) return '';
  try {
    const name = parseFieldSelector(selector).requirements.find(r => r.field === 'metadata.name' && r.operator === '=')?.value ?? '';
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
  } catch {
    return '';
  }
}
