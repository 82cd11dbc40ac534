import { ConfigMap } from '../../src/api/builtin-kinds.ts';
import type { KindRef } from '../../src/api/define-kind.ts';
import { hubKinds } from '../../src/hub/hub-kinds.ts';
import { HttpTarget, readKubeconfig } from './http-target.ts';
import { words, type CommandLine } from './kubectl.ts';

/** Reads what `kubectl get LINE -o json` would print, or undefined when that fails. */
export type ReadObject = <T>(line: string) => Promise<T | undefined>;

/**
 * For stories that look again and again until something is so: a connection that stays open, where a kubectl for every look would cost more than all that
 * it looks at. Lines name a kind of ours in any of its ways or a ConfigMap, a name, `-n` and `-l`; whatever else they have is left to kubectl.
 */
export function objectReader(kubectl: CommandLine, kubeconfig: string): ReadObject {
  let target = new HttpTarget(readKubeconfig(kubeconfig));
  return async <T>(line: string) => {
    const path = pathOf(line);
    if (path === undefined) {
      const { code, stdout } = await kubectl.run(`get ${line} -o json`);
      return code === 0 ? (JSON.parse(stdout) as T) : undefined;
    }
    // That of a member is below its hub.
    const root = new URL(target.credentials.server).pathname.replace(/\/$/, '');
    const answer = await target.request('GET', root + path).catch(() => undefined);
    // A hub that came back may be elsewhere.
    if (!answer) target = new HttpTarget(readKubeconfig(kubeconfig));
    return answer?.code === 200 ? answer.json<T>() : undefined;
  };
}

function pathOf(line: string): string | undefined {
  const [resource = '', ...rest] = words(line);
  const kinds = kindsByName.get(resource.toLowerCase()) ?? [];
  const kind = kinds[0];
  if (!kind || kinds.length > 1) return undefined;
  const flags: Record<string, string> = {};
  const names: string[] = [];
  for (let i = 0; i < rest.length; i++) {
    if (rest[i]!.startsWith('-')) flags[rest[i]!] = rest[++i] ?? '';
    else names.push(rest[i]!);
  }
  const { '-n': namespace = 'default', '-l': selector, ...others } = flags;
  if (Object.keys(others).length > 0 || names.length > 1) return undefined;
  const place = kind.scope === 'Namespaced' ? `/namespaces/${namespace}` : '';
  const query = selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
  const group = kind.group === '' ? '/api' : `/apis/${kind.group}`;
  return `${group}/${kind.version}${place}/${[kind.resource, ...names].join('/')}${query}`;
}

const kindsByName = new Map<string, KindRef[]>([['configmap', [ConfigMap]]]);
for (const kind of hubKinds) {
  const { shortNames = [] } = (kind.definition() as unknown as { spec: { names: { shortNames?: string[] } } }).spec.names;
  for (const name of new Set([kind.kind.toLowerCase(), kind.resource, `${kind.resource}.${kind.group}`, ...shortNames]))
    kindsByName.set(name, [...(kindsByName.get(name) ?? []), kind]);
}
