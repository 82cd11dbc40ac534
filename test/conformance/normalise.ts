import { isJsonObject } from '../../src/util/json.ts';

/** What one server answered to one step, before normalisation. */
export interface Outcome {
  readonly title: string;
  readonly code: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly ignore?: readonly string[];
}

export interface NormaliserOptions {
  /** Texts that stand for the server or the run, and what to print instead. */
  readonly substitutions: readonly (readonly [string, string])[];
  readonly nowMs: number;
  /** Values of generateName that were sent: a refusal names the object that would have been. */
  readonly generatedPrefixes?: readonly string[];
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const timestamp = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d| [+-]\d{4} [A-Z]+)/g;
const jwt = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const age = /^\d+(s|m|m\d+s|ms)$/;
const recentMs = 30 * 24 * 3600 * 1000;

/**
 * Makes the answers of one case comparable: uids, generated names and addresses are numbered in order of appearance, resource versions become their rank,
 * times near the present lose their value. Whatever is left must be equal on both servers.
 */
export function normalise(outcomes: readonly Outcome[], options: NormaliserOptions): Record<string, unknown>[] {
  const ranks = rankResourceVersions(outcomes.map(o => o.body));
  const names = new Map<string, string>();
  for (const { body } of outcomes) collectGeneratedNames(body, names);
  const numbered = new Map<string, string>();
  const generated = (options.generatedPrefixes ?? []).map(
    prefix => new RegExp(`(${RegExp.escape(prefix.slice(0, 58))})[bcdfghjklmnpqrstvwxz2456789]{5}`, 'g'),
  );

  return outcomes.map(({ title, code, headers, body, ignore = [] }) => {
    const ignored = ignore.map(pattern => new RegExp(`^(${pattern})$`));
    // Prose again: our documents have no descriptions but those of definitions.
    const isOpenApi = isJsonObject(body) && ('openapi' in body || 'swagger' in body);
    return { title, code, headers: walk(headers, [], ''), body: walk(body, [], '') };

    function walk(value: unknown, path: readonly string[], parentKind: string): unknown {
      const key = path.at(-1) ?? '';
      if (typeof value === 'string') return text(value, key, path, parentKind);
      if (typeof value === 'number' && /^(healthCheckN|n)odePort$/.test(key) && value >= 30000 && value <= 32767) return '<node port>';
      if (Array.isArray(value)) {
        const items = value.map((item, i) =>
          isIgnored([...path, String(i)]) ? '<ignored>' : walk(item, [...path, String(i)], parentKind),
        );
        return unorderedLists.has(key) ? items.toSorted((a, b) => compareText(JSON.stringify(a), JSON.stringify(b))) : items;
      }
      if (!isJsonObject(value)) return value;
      const kind = shapeOf(value) || (key === 'metadata' ? parentKind : '');
      const entries = Object.keys(value)
        .filter(name => !isIgnored([...path, name]) && !(isOpenApi && name === 'description' && typeof value[name] === 'string'))
        .sort()
        .map(name => [text(name, '', path, ''), walk(value[name], [...path, name], kind)] as const);
      const result = Object.fromEntries(entries.sort(([a], [b]) => compareText(a, b)));
      return result['kind'] === 'Status' ? withoutCauseOrder(result) : result;
    }

    function isIgnored(path: readonly string[]): boolean {
      const dotted = path.join('.');
      return ignored.some(pattern => pattern.test(dotted));
    }

    function text(value: string, key: string, path: readonly string[], parentKind: string): string {
      if (key === 'resourceVersion' && /^[1-9]\d*$/.test(value)) {
        if (parentKind !== '') return `<${parentKind} version>`;
        return `<version ${ranks.get(value)}>`;
      }
      if (key === 'continue' && value !== '') return '<continue>';
      if (path.includes('cells') && age.test(value)) return '<age>';
      // Prose that comes from Go comments and is left out on purpose.
      if (key === 'description' && path.includes('columnDefinitions')) return '<description>';
      // Named after its executable file, which carries a version here.
      if (key === 'manager') return value.replace(/@v[\d.]+$/, '');
      // Follows from the key each server was given.
      if (path.includes('id_token_signing_alg_values_supported')) return '<algorithm>';
      let result = value;
      for (const [from, to] of options.substitutions) result = result.replaceAll(from, to);
      for (const [from, to] of names) result = result.replaceAll(from, to);
      if (code >= 400) for (const pattern of generated) result = result.replace(pattern, '$1<generated>');
      return (
        result
          .replace(jwt, token => describeToken(token))
          .replace(uuid, id => number('uid', id))
          .replace(timestamp, time => (isRecent(time, options.nowMs) ? timeShape(time) : time))
          .replace(/\b10\.0\.\d{1,3}\.\d{1,3}\b(?!\/)/g, ip => number('ip', ip))
          .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<5>')
          .replace(/(too old resource version: )\d+ \(\d+\)/g, '$1<n> (<n>)')
          .replace(/(resource version: )\d+/gi, '$1<n>')
          .replace(/(X509SHA256=)[0-9a-f]{64}/g, '$1<hash>')
          .replace(/(Key: )\/[\w-]+\//g, '$1<prefix>/')
          // An echo of the whole object tells nothing, and its order of keys is nobody's promise.
          .replace(/Invalid value: "\{\\"(?:[^"\\]|\\.)*\}"/gs, 'Invalid value: <object>')
          .replace(/(current: )\d+/g, '$1<n>')
          .replace(/(in record \()\d+/g, '$1<n>')
          .replace(/(resource version )\d+/g, '$1<n>')
          .replace(/hash=[0-9A-F]{20,}/g, 'hash=<hash>')
          .replace(/-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\n?/g, '<certificates>')
          .replace(/LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t[\w+/=]*/g, '<certificates in base64>')
      );
    }

    function number(what: string, raw: string): string {
      const known = numbered.get(raw);
      if (known !== undefined) return known;
      const count = [...numbered.values()].filter(v => v.startsWith(`<${what} `)).length;
      const name = `<${what} ${count + 1}>`;
      numbered.set(raw, name);
      return name;
    }
  });
}

/** Lists and tables carry the version of the whole store, which other writers move; only its presence is comparable. */
function shapeOf(value: Record<string, unknown>): string {
  if (Array.isArray(value['items']) || (typeof value['kind'] === 'string' && value['kind'].endsWith('List'))) return 'list';
  return value['kind'] === 'Table' ? 'table' : '';
}

/**
 * Built by walking a map or an informer's cache in the real server, so their order differs from run to run; managed fields are sorted by their
 * times, which are whole seconds.
 */
const unorderedLists = new Set(['causes', 'resourceRules', 'nonResourceRules', 'managedFields']);

/** The message of many causes repeats them in an order of chance: what is left of it without them must agree. */
function withoutCauseOrder(status: Record<string, unknown>): Record<string, unknown> {
  const { message, details } = status;
  const causes = isJsonObject(details) && Array.isArray(details['causes']) ? details['causes'].filter(isJsonObject) : [];
  if (typeof message !== 'string' || causes.length < 2) return status;
  const repeated = [...new Set(causes.map(c => `${String(c['field'])}: ${String(c['message'])}`))].toSorted((a, b) => b.length - a.length);
  let rest = message;
  for (const text of repeated) rest = rest.replace(text, '<cause>');
  return { ...status, message: rest };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function rankResourceVersions(bodies: readonly unknown[]): Map<string, number> {
  const versions = new Set<string>();
  const visit = (value: unknown, key: string, parentKind: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, '', '');
    else if (isJsonObject(value)) {
      const kind = shapeOf(value) || (key === 'metadata' ? parentKind : '');
      for (const name in value) visit(value[name], name, kind);
    } else if (key === 'resourceVersion' && parentKind === '' && typeof value === 'string' && /^[1-9]\d*$/.test(value)) versions.add(value);
  };
  for (const body of bodies) visit(body, '', '');
  return new Map([...versions].sort((a, b) => Number(BigInt(a) - BigInt(b))).map((version, i) => [version, i + 1]));
}

function collectGeneratedNames(value: unknown, names: Map<string, string>): void {
  if (Array.isArray(value)) for (const item of value) collectGeneratedNames(item, names);
  else if (isJsonObject(value)) {
    const { name, generateName } = value;
    if (typeof name === 'string' && typeof generateName === 'string' && generateName !== '' && name.length > generateName.length - 8) {
      const prefix = name.slice(0, -5);
      if (generateName.startsWith(prefix) && !names.has(name)) names.set(name, `${prefix}<generated ${names.size + 1}>`);
    }
    for (const key of Object.keys(value).sort()) collectGeneratedNames(value[key], names);
  }
}

function isRecent(time: string, nowMs: number): boolean {
  const iso = time.replace(/^(\S+) (\S+) ([+-]\d\d)(\d\d) [A-Z]+$/, '$1T$2$3:$4');
  return Math.abs(Date.parse(iso) - nowMs) < recentMs;
}

/** Keeps the form of a time, for seconds and microseconds are different types. */
function timeShape(time: string): string {
  const digits = /\.(\d+)/.exec(time)?.[1]?.length ?? 0;
  return digits === 0 ? '<time>' : `<time with ${digits} digits>`;
}

/** Claims matter, signatures and moments do not. */
function describeToken(token: string): string {
  const [head = '', claims = ''] = token.split('.');
  try {
    const { kid, alg: _alg, ...header } = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>;
    const { iat, nbf, exp, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, number | unknown>;
    const seconds = typeof exp === 'number' && typeof iat === 'number' ? exp - iat : 'none';
    const hasKid = typeof kid === 'string';
    return `<token ${JSON.stringify({ header, hasKid, seconds, startsAtOnce: nbf === iat, claims: sortKeys(rest) })}>`;
  } catch {
    return '<unreadable token>';
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sortKeys(value[key])]),
  );
}
