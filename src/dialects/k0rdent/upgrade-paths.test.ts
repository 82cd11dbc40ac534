import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../api/define-kind.ts';
import { ServiceTemplateChain } from './kinds/template.ts';
import { nextStep } from './upgrade-paths.ts';

function chainOf(upgrades: Readonly<Record<string, readonly string[]>>): ServiceTemplateChain {
  const supportedTemplates = Object.entries(upgrades).map(([name, to]) => ({ name, availableUpgrades: to.map(one => ({ name: one })) }));
  return newObject(ServiceTemplateChain, { name: 'c', namespace: 'n' }, { supportedTemplates });
}

/** `n-4-11-3` is of version 4.11.3; templates with other names have none. */
const version = (name: string): string | undefined => /-(\d+)-(\d+)-(\d+)$/.exec(name)?.slice(1).join('.');

/** All templates on the way, the last of which is where it ends. */
function walk(from: string, to: string, chain: ServiceTemplateChain, limit = 20): string[] {
  const way: string[] = [];
  for (let at = from; at !== to && way.length < limit; at = way.at(-1)!) {
    const step = nextStep({ from: at, to, chain, version });
    if (!step) break;
    way.push(step.name);
  }
  return way;
}

const bothWays = chainOf({
  'n-4-11-3': ['n-4-11-5', 'n-4-12-0'],
  'n-4-11-5': ['n-4-11-3', 'n-4-12-0'],
  'n-4-12-0': ['n-4-11-5'],
});

test('a chain with ways back is walked up and down without turning round', () => {
  assert.deepEqual(walk('n-4-11-3', 'n-4-12-0', bothWays), ['n-4-11-5', 'n-4-12-0']);
  assert.deepEqual(walk('n-4-12-0', 'n-4-11-3', bothWays), ['n-4-11-5', 'n-4-11-3']);
});

test('a version that leads nowhere is passed by', () => {
  const chain = chainOf({ 'n-1-0-0': ['n-1-1-0', 'n-2-0-0'], 'n-1-1-0': [], 'n-2-0-0': [] });
  assert.deepEqual(walk('n-1-0-0', 'n-2-0-0', chain), ['n-2-0-0']);
});

test('where no straight way is, the shortest is taken', () => {
  const detour = chainOf({ 'n-1-0-0': ['n-3-0-0'], 'n-3-0-0': ['n-2-0-0'], 'n-2-0-0': [] });
  assert.deepEqual(walk('n-1-0-0', 'n-2-0-0', detour), ['n-3-0-0', 'n-2-0-0']);
  const nameless = chainOf({ a: ['b', 'c'], b: ['c'], c: ['a', 'd'], d: [] });
  assert.deepEqual(walk('a', 'd', nameless), ['c', 'd']);
});

test('whatever the chain, a way that exists is walked to its end, and none is made up', () => {
  const names = ['n-1-0-0', 'n-1-1-0', 'n-2-0-0', 'n-2-1-0', 'odd', 'even'];
  const chains = fc
    .tuple(...names.map(() => fc.subarray(names)))
    .map(lists => chainOf(Object.fromEntries(names.map((name, i) => [name, lists[i]!]))));
  const name = fc.constantFrom(...names);
  fc.assert(
    fc.property(chains, name, name, (chain, from, to) => {
      fc.pre(from !== to);
      const way = walk(from, to, chain, names.length);
      const ways = new Map(chain.spec.supportedTemplates!.map(one => [one.name, one.availableUpgrades!.map(upgrade => upgrade.name)]));
      [from, ...way].forEach((at, i) => i < way.length && assert.ok(ways.get(at)!.includes(way[i]!)));
      const reached = new Set([from]);
      for (const at of reached) for (const next of ways.get(at)!) reached.add(next);
      assert.equal(way.at(-1) === to, reached.has(to));
      assert.equal(new Set(way).size, way.length);
    }),
  );
});
