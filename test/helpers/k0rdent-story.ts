import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClusterDeployment } from '../../src/dialects/k0rdent/kinds/cluster-deployment.ts';
import type { MultiClusterService } from '../../src/dialects/k0rdent/kinds/multi-cluster-service.ts';
import type { ServiceSet } from '../../src/dialects/k0rdent/kinds/service-set.ts';
import { droverFor } from './drover.ts';
import type { EitherHub } from './either-hub.ts';
import { eventually } from './eventually.ts';
import { kubectlFor, type CommandLine } from './kubectl.ts';
import { objectReader } from './object-reader.ts';
import { Program } from './program.ts';
import { rigProgramPath } from './rig.ts';

export const systemNamespace = 'kcm-system';
export const k0rdentVersion = 'k0rdent.mirantis.com/v1beta1';
export const patient = { timeoutMs: 90_000, everyMs: 150 };

/** `ingress-nginx` 4.11.0 is the template `ingress-nginx-4-11-0`. */
export const templateName = (chart: string, version: string): string => `${chart}-${version.replaceAll('.', '-')}`;

export const serviceTemplate = (chart: string, version: string, namespace = systemNamespace) => ({
  apiVersion: k0rdentVersion,
  kind: 'ServiceTemplate',
  metadata: { name: templateName(chart, version), namespace },
  spec: { helm: { chartSpec: { chart, version } } },
});

export const multiClusterService = (name: string, spec: object) => ({
  apiVersion: k0rdentVersion,
  kind: 'MultiClusterService',
  metadata: { name },
  spec,
});

interface WithConditions {
  status?: { conditions?: readonly { type: string; status: string; reason: string; message: string }[] };
}

/** `True Succeeded Object is ready`. */
export function conditionOf(obj: WithConditions | undefined, type: string): string | undefined {
  const found = obj?.status?.conditions?.find(one => one.type === type);
  return found && `${found.status} ${found.reason} ${found.message}`.trim();
}

/** Waits until what is said is so, and shows what it was instead when it never is. */
export async function becomes<T>(read: () => Promise<T>, expected: T, what: string): Promise<void> {
  let last: T | undefined;
  try {
    await eventually(
      async () => (last = await read()),
      found => JSON.stringify(found) === JSON.stringify(expected),
      { ...patient, what },
    );
  } catch {
    assert.deepEqual(last, expected, what);
  }
}

/**
 * Every record of Helm on a cluster from now on, as it comes and goes: `ADDED cert-manager pending-install`. One watch sees all namespaces, so the order is
 * that in which things happened.
 */
export async function watchReleases(kubeconfig: string, dir: string): Promise<AsyncDisposable & { events(): string[] }> {
  const logFile = path.join(dir, `releases-${path.basename(path.dirname(kubeconfig))}-${path.basename(kubeconfig)}-${Date.now()}.log`);
  const program = new Program({
    name: 'kubectl',
    command: rigProgramPath('kubectl'),
    args: ['get', 'secrets', '-A', '-l', 'owner=helm', '-L', 'name,status', '--watch', '--output-watch-events', '--no-headers', '-v=6'],
    logFile,
    env: { KUBECONFIG: kubeconfig, KUBECACHEDIR: path.join(dir, 'cache-watch') },
  });
  await program.waitUntil(async () => /watch=true/.test(readFileSync(logFile, 'utf8')));
  const isEvent = (words: readonly string[]) => /^(ADDED|MODIFIED|DELETED)$/.test(words[0] ?? '');
  return {
    events: () =>
      readFileSync(logFile, 'utf8')
        .split('\n')
        .map(line => line.trim().split(/\s+/))
        .filter(isEvent)
        .map(words => `${words[0]} ${words.at(-2)} ${words.at(-1)}`),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** Holds that an event comes before another, the first of each. */
export function isBefore(events: readonly string[], first: RegExp, second: RegExp): void {
  const [a, b] = [first, second].map(pattern => events.findIndex(event => pattern.test(event)));
  assert.ok(a! >= 0 && b! >= 0 && a! < b!, `${first} does not come before ${second}:\n${events.join('\n')}`);
}

export interface K0rdentStory {
  readonly kubectl: CommandLine;
  /** Applies objects in one go. */
  apply(...objects: object[]): Promise<void>;
  /** Applies a text as somebody who copied it from a page. */
  applyText(text: string): Promise<string>;
  /** Applies objects that are refused, and answers what kubectl says. */
  refused(...objects: object[]): Promise<string>;
  get<T>(what: string): Promise<T | undefined>;
  cd(name: string, namespace?: string): Promise<ClusterDeployment | undefined>;
  mcs(name: string): Promise<MultiClusterService | undefined>;
  set(name: string, namespace?: string): Promise<ServiceSet | undefined>;
  /** Of every ServiceSet: its services, whether it is deployed, and the count. */
  setsNow(namespace?: string): Promise<Record<string, string>>;
  pushChart(name: string, version: string, bytes: Buffer): Promise<void>;
  /** Templates that are to be used at once must have been looked at. */
  templatesAreValid(...names: string[]): Promise<void>;
}

/** What every story about k0rdent does. Answers when the hub has its templates. */
export async function startK0rdentStory(hub: EitherHub, dir: string): Promise<K0rdentStory> {
  const kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir });
  const drover = droverFor({ hub: hub.kubeconfig, dir });
  let files = 0;
  const file = (text: string, ending: string): string => {
    const name = path.join(dir, `apply-${++files}.${ending}`);
    writeFileSync(name, text);
    return name;
  };
  const listOf = (items: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const get = objectReader(kubectl, hub.kubeconfig);
  mkdirSync(path.join(dir, 'charts'), { recursive: true });
  await eventually(() => kubectl.expect(`get clustertemplates -n ${systemNamespace} sandbox-1-0-0`), Boolean, patient);
  return {
    kubectl,
    get,
    async apply(...objects) {
      await kubectl.expect(`apply -f ${file(listOf(objects), 'json')}`);
    },
    applyText: text => kubectl.expect(`apply -f ${file(text, 'yaml')}`),
    async refused(...objects) {
      const { code, stdout, stderr } = await kubectl.run(`apply -f ${file(listOf(objects), 'json')}`);
      assert.equal(code, 1, stdout);
      return stderr;
    },
    cd: (name, namespace = systemNamespace) => get(`clusterdeployment -n ${namespace} ${name}`),
    mcs: name => get(`multiclusterservice ${name}`),
    set: (name, namespace = systemNamespace) => get(`serviceset -n ${namespace} ${name}`),
    async setsNow(namespace = systemNamespace) {
      const { items } = (await get<{ items: ServiceSet[] }>(`servicesets -n ${namespace}`))!;
      return Object.fromEntries(
        items.map(({ metadata, status }) => {
          const services = (status?.services ?? []).map(one => `${one.template} ${one.failureMessage ?? one.state}`);
          const count = status?.conditions?.find(one => one.type === 'ServicesInReadyState')?.message;
          return [metadata.name, `${services.join(', ')}; ${status?.deployed} ${count}`];
        }),
      );
    },
    async pushChart(name, version, bytes) {
      const chart = path.join(dir, 'charts', `${name}-${version}.tgz`);
      writeFileSync(chart, bytes);
      await drover.expect(`chart push ${chart}`, { says: 'pushed' });
    },
    async templatesAreValid(...names) {
      for (const name of names)
        await becomes(
          async () => (await get<{ status?: { valid?: boolean } }>(`servicetemplate -n ${systemNamespace} ${name}`))?.status?.valid,
          true,
          `template ${name}`,
        );
    },
  };
}
