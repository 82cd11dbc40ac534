import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Cluster } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import { isDns1123Subdomain } from '../../../api/names.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { deliveryAnnotations } from '../names.ts';
import { isOfProvider, planProjection, type ProjectionPlan } from './plan-projection.ts';
import {
  parseClusterPage,
  parseErrorMessage,
  parseGeneratedKubeconfig,
  parseLogin,
  parseSetting,
  tokenIdOf,
  type RancherCluster,
} from './rancher-answers.ts';
import { RancherError } from './rancher-error.ts';

const now = new Date('2026-03-01T12:00:00Z');
const graceMs = 60_000;
const provider = 'main';

const rancherCluster: fc.Arbitrary<RancherCluster> = fc.record({
  id: fc.oneof(fc.constantFrom('local', 'c-aaaaa', 'c-bbbbb', 'c-m-aaaaaaaa', 'c-m-bbbbbbbb'), fc.string({ minLength: 1, maxLength: 8 })),
  name: fc.oneof(fc.constantFrom('east', 'west', 'local', 'Süd', '-'), fc.string({ minLength: 1, maxLength: 12 })),
  labels: fc.dictionary(fc.constantFrom('env', 'region', 'not a label', 'a/b/c'), fc.constantFrom('prod', '', 'x y')),
});
const listing = fc.uniqueArray(rancherCluster, { selector: one => one.id, maxLength: 8 });
const others = fc.uniqueArray(fc.constantFrom('east', 'west', 'c-aaaaa', 'other'), { maxLength: 3 }).map(names =>
  names.map((name, i) => {
    const id = i === 0 ? { id: 'c-aaaaa' } : {};
    return newObject(Cluster, { name, uid: `other-${name}` }, { ...id, connection: { mode: 'Direct', server: 'https://x.example' } });
  }),
);

/** What the hub has after a plan was carried out. */
function carriedOut(before: readonly Cluster[], { projected, missed, gone }: ProjectionPlan): Cluster[] {
  const made = new Map(
    projected.map(({ listed, name, id, labels, present }) => {
      const annotations = { [deliveryAnnotations.rancherId]: listed.id };
      const connection = { mode: 'Direct' as const, server: 'https://rancher.example' };
      const metadata = { name, uid: present?.metadata.uid ?? `made-${name}`, labels: { ...labels }, annotations };
      return [name, newObject(Cluster, metadata, { ...(id !== undefined && { id }), connection })] as const;
    }),
  );
  const rest = before.filter(one => !made.has(one.metadata.name!) && !gone.includes(one));
  const marked = rest.map(one =>
    missed.includes(one)
      ? {
          ...one,
          metadata: {
            ...one.metadata,
            annotations: { ...one.metadata.annotations, [deliveryAnnotations.missingSince]: now.toISOString() },
          },
        }
      : one,
  );
  return [...marked, ...made.values()];
}

const plan = (listed: readonly RancherCluster[], clusters: readonly Cluster[], at = now) =>
  planProjection({ provider, listed, clusters, now: at, graceMs });

test('every cluster of a provider has one of its own, nobody else is touched, and looking again changes nothing', () => {
  fc.assert(
    fc.property(listing, others, (listed, foreign) => {
      const first = plan(listed, foreign);
      const after = carriedOut(foreign, first);
      assert.equal(first.projected.length, listed.length);
      assert.deepEqual(
        after.filter(one => !isOfProvider(one, provider)),
        foreign,
      );
      assert.equal(new Set(after.map(one => one.metadata.name)).size, after.length, 'names');
      assert.equal(new Set(after.map(clusterId)).size, after.length, 'ids');
      for (const { name } of first.projected) assert.deepEqual(isDns1123Subdomain(name), []);
      const again = plan(listed, after);
      assert.deepEqual(
        again.projected.map(one => [one.listed.id, one.name, one.id]),
        first.projected.map(one => [one.listed.id, one.name, one.id]),
      );
      assert.deepEqual([again.missed, again.gone], [[], []]);
    }),
  );
});

test('what a provider does not tell of any more goes, but not at once', () => {
  fc.assert(
    fc.property(listing, listing, (before, after) => {
      const known = carriedOut([], plan(before, []));
      const lost = before.filter(one => !after.some(other => other.id === one.id)).map(one => one.id);
      const missing = plan(after, known);
      const idsOf = (clusters: readonly Cluster[]) => clusters.map(one => one.metadata.annotations?.[deliveryAnnotations.rancherId]).sort();
      assert.deepEqual([idsOf(missing.missed), missing.gone], [lost.toSorted(), []]);
      const later = plan(after, carriedOut(known, missing), new Date(now.getTime() + graceMs));
      assert.deepEqual([later.missed, idsOf(later.gone)], [[], lost.toSorted()]);
    }),
  );
});

test('whatever a server says is read or refused as an error of the server', () => {
  const parsers = [parseClusterPage, parseSetting, parseLogin, parseGeneratedKubeconfig];
  const json = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ data: fc.jsonValue(), pagination: fc.jsonValue(), config: fc.string(), token: fc.jsonValue() })
      .map(one => JSON.stringify(one)),
    fc
      .record({ data: fc.array(fc.record({ id: fc.jsonValue(), name: fc.jsonValue(), labels: fc.jsonValue() })) })
      .map(one => JSON.stringify(one)),
  );
  fc.assert(
    fc.property(json, fc.constantFrom(...parsers), (text, parse) => {
      try {
        parse(text);
      } catch (error) {
        assert.ok(error instanceof RancherError, String(error));
      }
      assert.ok(parseErrorMessage(text, 500).length > 0);
    }),
  );
});

test('a kubeconfig whose server is no address is an error of the server', () => {
  const generated = (server: string) =>
    parseGeneratedKubeconfig(
      JSON.stringify({ config: JSON.stringify({ clusters: [{ cluster: { server } }], users: [{ user: { token: 'a:b' } }] }) }),
    ).server;
  assert.equal(generated('https://rancher.example/k8s/clusters/c-1'), 'https://rancher.example/k8s/clusters/c-1');
  for (const server of ['', 'https://', 'https://[x', 'http://a b', 'file:///etc/passwd'])
    assert.throws(() => generated(server), RancherError);
});

test('the next page is looked for at the server that people named, and nowhere else', () => {
  const page = (next: string) => parseClusterPage(JSON.stringify({ data: [], pagination: { next } })).next;
  assert.equal(page('https://evil.example/prefix/v3/clusters?marker=c-1&limit=2'), '/v3/clusters?marker=c-1&limit=2');
  assert.throws(() => page('https://evil.example/steal'), RancherError);
});

const tokens: readonly [token: string, id: string | undefined][] = [
  ['kubeconfig-u-abc.c-m-x:secret', 'kubeconfig-u-abc.c-m-x'],
  ['ext/kubeconfig-abc:secret', 'ext/kubeconfig-abc'],
  ['eyJhbGciOi', undefined],
  ['../x:y', undefined],
];
for (const [token, id] of tokens) test(`the token ${token} is called ${id}`, () => assert.equal(tokenIdOf(token), id));
