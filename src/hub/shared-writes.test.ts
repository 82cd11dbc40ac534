import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../test/helpers/memory-hub.ts';
import { CustomResourceDefinition } from '../api/builtin-kinds.ts';
import { defineKind, newObject, type Kind, type ObjectFor } from '../api/define-kind.ts';
import { flag, integer, list, listMap, object, openObject, optional, text } from '../api/schema.ts';
import { StatusError } from '../api/status.ts';
import { httpClient } from '../client/http-client.ts';
import type { KubeClient } from '../client/kube-client.ts';

// Who is in the same process sends parts of what was read back as they are, and the server does not look at those again. Nobody may notice.

const item = (maximum: number) =>
  object('An item.', {
    name: text('Its name.'),
    level: optional(integer('Its level.', { minimum: 0, maximum })),
    isOpen: flag('Whether it is open.', { default: false }),
  });

const shelfKind = (maximum: number) =>
  defineKind({
    group: 'test.drover.io',
    version: 'v1',
    kind: 'Shelf',
    plural: 'shelves',
    scope: 'Cluster',
    description: 'A list that is written again and again.',
    spec: openObject('Nothing.', {}),
    status: openObject('What is on it.', {
      items: optional(list('Items in their order.', item(maximum))),
      named: optional(listMap('Items by their names.', item(maximum), ['name'])),
    }),
  });
const Shelf = shelfKind(9);
type Shelf = ObjectFor<typeof Shelf>;
type Status = NonNullable<Shelf['status']>;
type Item = NonNullable<Status['items']>[number];

/** Changes to a list of which most stays. A level of 10 is refused, one of 6 only later. */
type Edit =
  | { readonly do: 'add' | 'replace'; readonly at: number; readonly level: number | undefined }
  | { readonly do: 'remove'; readonly at: number };

const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ do: fc.constantFrom('add', 'replace'), at: fc.nat(100), level: fc.constantFrom(undefined, 1, 2, 6, 10) }),
  fc.record({ do: fc.constant('remove' as const), at: fc.nat(100) }),
);

let names = 0;

function edited(items: readonly Item[], edit: Edit): Item[] {
  const at = edit.at % (items.length + 1);
  if (edit.do === 'remove') return items.toSpliced(at, 1);
  const name = edit.do === 'replace' ? (items[at]?.name ?? `item-${++names}`) : `item-${++names}`;
  // The flag is left to the server.
  return items.toSpliced(at, edit.do === 'replace' ? 1 : 0, { name, ...(edit.level !== undefined && { level: edit.level }) } as Item);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const written = async (client: KubeClient, name: string, status: Status, fieldManager: string): Promise<unknown> => {
  try {
    const { status: result } = await client.apply(Shelf, { metadata: { name }, status }, { subresource: 'status', fieldManager });
    return result;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.message.replaceAll(name, 'shelf');
  }
};

test('what is sent with parts of what was read is answered like what is sent anew, and no version changes afterwards', async t => {
  const { client: near, transport } = await startMemoryHub(t, [Shelf as Kind]);
  const far = httpClient(transport);
  let run = 0;
  const define = async (maximum: number) => {
    await near.apply(CustomResourceDefinition, shelfKind(maximum).definition() as CustomResourceDefinition);
    const bad = newObject(Shelf, { name: 'probe' }, {});
    await near.apply(Shelf, bad);
    const status = { items: [{ name: 'x', level: maximum + 1, isOpen: false }] };
    await eventually(
      () => written(far, 'probe', status, 'probe'),
      answer => typeof answer === 'string' && answer.includes(`less than or equal to ${maximum}`),
      { what: 'the new schema' },
    );
  };
  const sequence = fc.array(fc.oneof({ weight: 8, arbitrary: edits }, { weight: 1, arbitrary: fc.constant('tighten' as const) }), {
    minLength: 5,
    maxLength: 25,
  });

  await fc.assert(
    fc.asyncProperty(sequence, fc.nat(120), fc.boolean(), async (steps, size, isNamed) => {
      const pair = [`near-${++run}`, `far-${run}`] as const;
      for (const name of pair) await near.create(Shelf, newObject(Shelf, { name }, {}));
      const field = isNamed ? 'named' : 'items';
      let items = Array.from({ length: size }, (_, i) => ({ name: `first-${i}`, isOpen: i % 2 === 0 }));
      for (const step of steps) {
        if (step === 'tighten') await define(5);
        else items = edited(items, step);
        const status = { [field]: items };
        const answers = [await written(near, pair[0], status, 'tester'), await written(far, pair[1], status, 'tester')];
        assert.deepEqual(answers[0], answers[1]);
        const present = frozen(await near.get(Shelf, { name: pair[0] }));
        assert.deepEqual(present?.status, (await far.get(Shelf, { name: pair[0] }))?.status);
        items = (present?.status?.[field] ?? []) as Item[];
      }
      if (steps.includes('tighten')) await define(9);
    }),
    { numRuns: 25 },
  );
});
