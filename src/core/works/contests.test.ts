import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startWorksWorld, type WorksWorld } from '../../../test/helpers/works-world.ts';
import { ConfigMap, Secret } from '../../api/builtin-kinds.ts';
import { findCondition } from '../../api/conditions.ts';
import type { Work } from '../../api/work.ts';
import { compareClaims, isLeaving, rankClaims } from './claims.ts';

const workNames = ['a', 'b', 'c'] as const;
const objectNames = ['one', 'two', 'three'] as const;

type Step =
  | { readonly kind: 'put'; readonly name: string; readonly priority: number; readonly objects: readonly string[] }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'restart' }
  /** Lets everything come to rest. */
  | { readonly kind: 'settle' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      name: fc.constantFrom(...workNames),
      priority: fc.integer({ min: 1, max: 3 }),
      objects: fc.subarray([...objectNames], { minLength: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), name: fc.constantFrom(...workNames) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'settle' as const }) },
);
const steps = fc.array(step, { minLength: 4, maxLength: 14 });

const template = `{{- range .Values.objects }}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ . }} }
data: { of: {{ $.Values.of | quote }} }
{{- end }}
`;

/** What is on the member: which Work each object is of, and the uid of each. */
async function onMember({ member }: WorksWorld): Promise<Map<string, { of: string; uid: string }>> {
  const { items } = await member.client.list(ConfigMap, { namespace: 'shop' });
  const ours = items.filter(({ metadata }) => (objectNames as readonly string[]).includes(metadata.name!));
  return new Map(ours.map(({ metadata, data }) => [metadata.name!, { of: data?.['of'] ?? '', uid: metadata.uid! }]));
}

/** The revisions of the release, oldest first. */
async function revisions({ member }: WorksWorld): Promise<number[]> {
  const { items } = await member.client.list(Secret, { namespace: 'shop', labelSelector: 'owner=helm,name=web' });
  return items.map(({ metadata }) => Number(metadata.labels?.['version'])).sort((a, b) => a - b);
}

/** Deletes everything, so that the next run finds nothing. */
async function clear(world: WorksWorld): Promise<void> {
  for (const name of workNames) await world.delete(name);
  for (const name of workNames) await world.gone(name);
  assert.deepEqual([...(await onMember(world)).keys()], []);
}

async function settle(world: WorksWorld, expected: (works: readonly Work[]) => Map<string, string>): Promise<void> {
  const { works } = world;
  const isRight = async () => {
    const all = works.list().filter(work => work.metadata.namespace === world.namespace);
    if (all.some(isLeaving)) return false;
    const present = await onMember(world);
    const wanted = expected(all);
    if (present.size !== wanted.size) return false;
    for (const [object, of] of wanted) if (present.get(object)?.of !== of) return false;
    return all.every(isAtRest);
  };
  await eventually(isRight, Boolean, { timeoutMs: 20_000, what: 'the member' }).catch(async (error: unknown) => {
    const said = works
      .list()
      .map(({ metadata, spec, status }) => [
        metadata.name,
        spec.priority,
        metadata.deletionTimestamp,
        status?.conditions?.map(one => one.message),
      ]);
    throw new Error(JSON.stringify([said, [...(await onMember(world))]], undefined, 1), { cause: error });
  });
}

function isAtRest(work: Work): boolean {
  const ready = findCondition(work, 'Ready');
  return (
    ready !== undefined &&
    ready.observedGeneration === work.metadata.generation &&
    (ready.status === 'True' || ready.reason === 'Outranked')
  );
}

interface Rules {
  put(one: Step & { kind: 'put' }): Promise<unknown>;
  /** Which Work each object is of. */
  expected(works: readonly Work[]): Map<string, string>;
  /** Names of what is contested. */
  readonly contested: readonly string[];
  isWanted(works: readonly Work[], contested: string): boolean;
  /** What stays the same, or grows, of each thing that is contested for as long as somebody wants it. */
  marks(): Promise<Map<string, string | number>>;
}

/**
 * Runs the steps on a world. Whenever it is at rest, the highest claims have everything; and what was wanted all the while since it was last at rest has
 * not been removed in between.
 */
async function play(world: WorksWorld, all: readonly Step[], rules: Rules): Promise<void> {
  let before = new Map<string, string | number>();
  let unwanted = new Set<string>();
  for (const one of [...all, { kind: 'settle' } as const]) {
    if (one.kind === 'put') {
      // A Work that is being deleted cannot be brought back: another one takes its name when it is gone.
      if ((await world.read(one.name))?.metadata.deletionTimestamp !== undefined) await world.gone(one.name);
      await rules.put(one);
    } else if (one.kind === 'delete') await world.delete(one.name);
    else if (one.kind === 'restart') await world.restart();
    else {
      await settle(world, rules.expected);
      const present = await rules.marks();
      for (const [name, mark] of before) {
        const now = present.get(name);
        const isSame = typeof mark === 'number' ? Number(now) >= mark : now === mark;
        if (!unwanted.has(name)) assert.ok(isSame, `${name} was removed while a claim was left: ${mark}, then ${now}`);
      }
      before = present;
      unwanted = new Set();
    }
    const works = (await Promise.all(workNames.map(world.read))).filter(work => work !== undefined && !isLeaving(work)) as Work[];
    for (const name of rules.contested) if (!rules.isWanted(works, name)) unwanted.add(name);
  }
}

const numRuns = Number(process.env['CONTESTS'] ?? 25);

test(
  'for any sequence of claims, edits, removals and restarts the highest claim has the release, and nothing is uninstalled before',
  { timeout: 280_000 },
  async t => {
    const world = await startWorksWorld(t);
    const content = await world.chart({ 'maps.yaml': template });
    const objectsOf = ({ spec }: Work) => (spec.values as { objects: string[] }).objects;
    const winner = (works: readonly Work[]) => rankClaims(works).winner;
    await fc.assert(
      fc.asyncProperty(steps, async all => {
        await play(world, all, {
          put: ({ name, priority, objects }) => world.put(name, { chart: { content }, priority, values: { of: name, objects } as never }),
          expected: works => new Map(winner(works) ? objectsOf(winner(works)!).map(object => [object, winner(works)!.metadata.name!]) : []),
          contested: ['release'],
          isWanted: works => works.length > 0,
          // An uninstall takes the history with it.
          marks: async () => new Map((await revisions(world)).slice(-1).map(revision => ['release', revision])),
        });
        await clear(world);
        assert.deepEqual(await revisions(world), []);
      }),
      { numRuns, endOnFailure: true },
    );
  },
);

test('for any such sequence each object is of the highest claim on it, and none is deleted before', { timeout: 280_000 }, async t => {
  const world = await startWorksWorld(t);
  const namesOf = ({ spec }: Work) => (spec.manifests ?? []).map(obj => (obj as { metadata: { name: string } }).metadata.name);
  const owner = (works: readonly Work[], object: string) => works.filter(work => namesOf(work).includes(object)).sort(compareClaims)[0];
  await fc.assert(
    fc.asyncProperty(steps, async all => {
      await play(world, all, {
        put: ({ name, priority, objects }) =>
          world.put(name, {
            priority,
            manifests: objects.map(object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: object }, data: { of: name } })),
          }),
        expected: works =>
          new Map(objectNames.flatMap(object => (owner(works, object) ? [[object, owner(works, object)!.metadata.name!]] : []))),
        contested: objectNames,
        isWanted: (works, object) => owner(works, object) !== undefined,
        marks: async () => new Map([...(await onMember(world))].map(([object, { uid }]) => [object, uid])),
      });
      await clear(world);
    }),
    { numRuns, endOnFailure: true },
  );
});
