import { Cluster } from '../../api/cluster.ts';
import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { Work } from '../../api/work.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { connectToHub, type HubConnection } from '../hub-client.ts';
import { withResources, type ApiSource } from '../resources/api-source.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { findResource } from '../resources/find-resource.ts';
import type { Terminal } from '../terminal.ts';
import type { Candidate, DeliveryNames, LiveNames } from './complete.ts';

/** A person waits with a finger on the key. */
const patienceMs = 3_000;
const namespaces: KindRef = { group: '', version: 'v1', kind: 'Namespace', resource: 'namespaces', scope: 'Cluster' };

/** Names from the hub, or from the member that the words name with `-C`. A hub that does not answer in time gives none. */
export function liveNames(words: readonly string[], terminal: Terminal): LiveNames & AsyncDisposable {
  // What goes wrong is not said: it would appear in the middle of the line that is typed.
  const quiet: Terminal = { ...terminal, env: terminal.env, signal: AbortSignal.timeout(patienceMs), err: () => {} };
  const value = (...names: string[]) => optionValue(words, names);
  const cluster = value('-C', '--cluster')?.split(',')[0];
  const namespace = value('-n', '--namespace');
  let connection: Promise<HubConnection> | undefined;

  const connect = () => (connection ??= connectToHub({ ...opt('hub', value('--hub')), ...opt('context', value('--context')) }, quiet));
  const orNone = async (names: () => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> => {
    try {
      return await names();
    } catch {
      return [];
    }
  };
  const source = async (): Promise<ApiSource> => (await connect()).source(cluster);
  const list = async ({ client }: ApiSource, kind: KindRef, inNamespace?: string) => {
    const { items } = await client.list(kind, { signal: quiet.signal, ...opt('namespace', inNamespace) });
    return items.map(nameOf).filter(({ value: name }) => name !== '');
  };

  return {
    clusters: () => orNone(async () => list((await connect()).source(), Cluster)),
    namespaces: () => orNone(async () => list(await source(), namespaces)),
    types: () => orNone(async () => withResources(await source(), quiet.signal, async resources => typesOf(resources))),
    objects: type =>
      orNone(async () => {
        const from = await source();
        const resource = await withResources(from, quiet.signal, async resources => findResource(resources, type));
        if (!resource) return [];
        const hub = await connect();
        return list(from, resource, resource.scope === 'Namespaced' ? (namespace ?? hub.namespace) : undefined);
      }),
    fields: of =>
      orNone(async () => {
        const { fieldsOfKind } = await import('../explain/run-explain-kind.ts');
        return (await fieldsOfKind(await source(), of, quiet.signal)).map(name => ({ value: name }));
      }),
    owners: type =>
      orNone(async () => {
        const { parseOwner } = await import('../services/owner-argument.ts');
        const kind = parseOwner([type, 'any'])?.kind as KindRef | undefined;
        if (!kind) return [];
        const names = await list((await connect()).source(), kind, kind.scope === 'Namespaced' ? namespace : undefined);
        return [...new Map(names.map(one => [one.value, one])).values()];
      }),
    delivery: what =>
      orNone(async () => {
        const hub = await connect();
        const kinds = await deliveryKinds(what);
        return (await Promise.all(kinds.map(kind => list(hub.source(), kind, namespace ?? hub.namespace)))).flat();
      }),
    works: () =>
      orNone(async () => {
        const hub = await connect();
        const chosen = cluster === undefined ? undefined : await hub.client.get(Cluster, { name: cluster }, { signal: quiet.signal });
        const names = await list(hub.source(), Work, chosen ? clusterId(chosen) : namespace);
        return [...new Map(names.map(one => [one.value, one])).values()];
      }),
    async [Symbol.asyncDispose]() {
      await connection?.then(hub => hub[Symbol.asyncDispose]()).catch(() => {});
    },
  };
}

/** Only those who complete such a word need to know what workflows have. */
async function deliveryKinds(what: DeliveryNames): Promise<readonly KindRef[]> {
  const { approvalKind, pipelineKind, runKinds, workflowKind } = await import('../workflows/delivery-argument.ts');
  return { workflows: [workflowKind], pipelines: [pipelineKind], runs: runKinds, approvals: [approvalKind] }[what] as readonly KindRef[];
}

function typesOf(resources: readonly ApiResource[]): Candidate[] {
  const names = new Set<string>();
  const listable = resources.filter(({ verbs }) => verbs.includes('list'));
  // A plural that two groups have needs its group.
  for (const { resource, group } of listable) names.add(names.has(resource) ? `${resource}.${group}` : resource);
  return [...names].sort().map(value => ({ value }));
}

const nameOf = ({ metadata }: KubeObject): Candidate => ({ value: metadata.name ?? '' });

const opt = <K extends string>(key: K, value: string | undefined) => (value === undefined ? {} : ({ [key]: value } as Record<K, string>));

function optionValue(words: readonly string[], names: readonly string[]): string | undefined {
  for (const [i, word] of words.slice(0, -1).entries()) {
    if (names.includes(word)) return i + 1 < words.length - 1 ? words[i + 1] : undefined;
    const joined = names.find(name => name.startsWith('--') && word.startsWith(`${name}=`));
    if (joined !== undefined) return word.slice(joined.length + 1);
  }
  return undefined;
}
