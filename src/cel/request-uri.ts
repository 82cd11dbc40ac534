/** An absolute URI or absolute path, as Go's url.ParseRequestURI reads it. */
export interface RequestUri {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly query: Readonly<Record<string, string[]>>;
}

const absolute = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s;

export function parseRequestUri(text: string): RequestUri | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  if (text === '' || /[\x00-\x1f\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text.split('?')[0]!)) return undefined;
  const found = absolute.exec(text);
  const scheme = found ? found[1]!.toLowerCase() : '';
  const rest = found ? found[2]! : text;
  if (!found && (!rest.startsWith('/') || /^[^/]*:/.test(rest.split('/')[0]!))) return undefined;
  const [beforeQuery = '', ...queryParts] = rest.split('?');
  if (!beforeQuery.startsWith('/')) return scheme === '' ? undefined : uri(text, scheme, '', '', queryParts.join('?'));
  if (!found || !beforeQuery.startsWith('//')) return uri(text, scheme, '', beforeQuery, queryParts.join('?'));
  const slash = beforeQuery.indexOf('/', 2);
  const authority = slash < 0 ? beforeQuery.slice(2) : beforeQuery.slice(2, slash);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (/[ <>"]/.test(host) || !/^(?:\[[^\]]*\]|[^:]*)(?::\d*)?$/.test(host)) return undefined;
  return uri(text, scheme, host, slash < 0 ? '' : beforeQuery.slice(slash), queryParts.join('?'));
}

function uri(text: string, scheme: string, host: string, path: string, query: string): RequestUri {
  const port = /:(\d*)$/.exec(host.replace(/^\[[^\]]*\]/, ''))?.[1] ?? '';
  const hostname = host
    .replace(/:\d*$/, hostPort => (host.startsWith('[') && !host.includes(']:') ? hostPort : ''))
    .replace(/^\[|\]$/g, '');
  const values: Record<string, string[]> = {};
  for (const [key, value] of new URLSearchParams(query)) (values[key] ??= []).push(value);
  return {
    text,
    scheme,
    host,
    hostname,
    port,
    escapedPath: path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%[\]]/g, encodeURIComponent),
    query: values,
  };
}
