import type { Answer } from './http-target.ts';

/** One thing that somebody may try at an API server. */
export interface Attempt {
  readonly verb: string;
  /** `group/resource`, without the slash for the core group. */
  readonly resource: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly method: string;
  readonly url: string;
  readonly body?: object;
}

interface Discovered {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Everything that discovery tells of, in some namespaces, with every verb that it has. What changes something only says what it would do. */
export async function everyAttempt(read: (url: string) => Promise<Answer>, namespaces: readonly string[]): Promise<Attempt[]> {
  const { groups } = (await read('/apis')).json<{ groups: { preferredVersion: { groupVersion: string } }[] }>();
  const attempts: Attempt[] = [];
  for (const version of ['v1', ...groups.map(group => group.preferredVersion.groupVersion)]) {
    const base = version === 'v1' ? '/api/v1' : `/apis/${version}`;
    const { resources } = (await read(base)).json<{ resources: Discovered[] }>();
    for (const resource of resources)
      for (const namespace of resource.namespaced ? namespaces : [''])
        attempts.push(...attemptsAt({ base, group: version === 'v1' ? '' : version.split('/')[0]!, resource, namespace }));
  }
  return attempts;
}

interface Place {
  readonly base: string;
  readonly group: string;
  readonly resource: Discovered;
  readonly namespace: string;
}

const nameless: Readonly<Record<string, string>> = { list: 'GET', create: 'POST', deletecollection: 'DELETE' };
const named: Readonly<Record<string, string>> = { get: 'GET', update: 'PUT', patch: 'PATCH', delete: 'DELETE' };

function attemptsAt({ base, group, resource, namespace }: Place): Attempt[] {
  const [plural = '', subresource] = resource.name.split('/');
  const parent = namespace === '' ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`;
  const isNode = subresource === 'proxy' || subresource === 'log' || subresource === 'exec' || subresource === 'attach';
  return resource.verbs.flatMap(verb => {
    const isNamed = verb in named || subresource !== undefined;
    const method = named[verb] ?? nameless[verb];
    if (method === undefined || isNode) return [];
    const path = isNamed ? `${parent}/nobody-has-it${subresource === undefined ? '' : `/${subresource}`}` : parent;
    const url = method === 'GET' ? path : `${path}?dryRun=All`;
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    return [{ verb, resource: group === '' ? resource.name : `${group}/${resource.name}`, namespace, method, url, ...body }];
  });
}

/** The attempts that nobody refused for who made them: whatever came of them, they were let in. */
export async function admitted(attempts: readonly Attempt[], send: (attempt: Attempt) => Promise<Answer>, atOnce = 32): Promise<string[]> {
  const found = new Set<string>();
  const waiting = [...attempts];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let attempt = waiting.pop(); attempt; attempt = waiting.pop()) {
        const { code } = await send(attempt);
        if (code !== 401 && code !== 403) found.add(`${attempt.verb} ${attempt.resource}`);
      }
    }),
  );
  return [...found].toSorted();
}
