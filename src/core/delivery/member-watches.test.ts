import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { ConfigMap, CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import { UnreachableError } from '../../client/transport.ts';
import { applyObjects } from './apply-objects.ts';
import { configMap, startMemoryMember, widget, widgetDefinition, type MemoryMember } from './member-test-support.ts';
import { memberKinds } from './member-kinds.ts';
import { memberWatches } from './member-watches.ts';
import { refOf } from './object-ref.ts';

const put = (member: MemoryMember, name: string, data: Record<string, string>) =>
  member.client.apply(ConfigMap, configMap(name, data) as ConfigMap);

/** What was told of an object, in short. */
function listener() {
  const told: string[] = [];
  return { told, listen: (obj: KubeObject | undefined) => void told.push(obj ? JSON.stringify(obj['data'] ?? null) : 'gone') };
}

const watchesOf = ({ calls }: MemoryMember) => calls.filter(call => call.startsWith('watch '));

test('the present state is told first, then every change, and the end', async t => {
  const member = await startMemoryMember(t);
  await put(member, 'a', { v: '1' });
  const { told, listen } = listener();
  using _ = member.watches.follow(refOf(configMap('a')), listen);
  assert.deepEqual(told, []);
  await eventually(() => told.length === 1, Boolean, { what: 'the present state' });
  await put(member, 'a', { v: '2' });
  await eventually(() => told.length === 2, Boolean, { what: 'the change' });
  await member.client.delete(ConfigMap, { namespace: 'shop', name: 'a' });
  await eventually(() => told.length === 3, Boolean, { what: 'the end' });
  await put(member, 'a', { v: '3' });
  await eventually(() => told.length === 4, Boolean, { what: 'the new one' });
  assert.deepEqual(told, ['{"v":"1"}', '{"v":"2"}', 'gone', '{"v":"3"}']);
});

test('what is missing is told as missing, also when it is asked for later', async t => {
  const member = await startMemoryMember(t);
  const first = listener();
  const second = listener();
  using _a = member.watches.follow(refOf(configMap('a')), first.listen);
  await eventually(() => first.told.length === 1, Boolean, { what: 'the first answer' });
  using _b = member.watches.follow(refOf(configMap('b')), second.listen);
  await eventually(() => second.told.length === 1, Boolean, { what: 'the second answer' });
  assert.deepEqual([first.told, second.told], [['gone'], ['gone']]);
});

test('objects of a kind and namespace share one watch, and late followers see the whole object', async t => {
  const member = await startMemoryMember(t);
  for (const name of ['a', 'b', 'c']) await put(member, name, { v: name });
  const [a, b, again] = [listener(), listener(), listener()];
  using _a = member.watches.follow(refOf(configMap('a')), a.listen);
  await eventually(() => a.told.length === 1, Boolean, { what: 'the first' });
  using _b = member.watches.follow(refOf(configMap('b')), b.listen);
  using _again = member.watches.follow(refOf(configMap('a')), again.listen);
  await eventually(() => b.told.length === 1 && again.told.length === 1, Boolean, { what: 'the others' });
  assert.deepEqual([b.told, again.told], [['{"v":"b"}'], ['{"v":"a"}']]);
  await put(member, 'b', { v: 'new' });
  await eventually(() => b.told.length === 2, Boolean, { what: 'the change' });
  assert.equal(b.told[1], '{"v":"new"}');
  assert.deepEqual(watchesOf(member), ['watch configmaps']);
});

test('what was delivered is known to the watch before anybody follows it', async t => {
  const member = await startMemoryMember(t);
  const { signal } = member;
  const [a, b] = [listener(), listener()];
  using _a = member.watches.follow(refOf(configMap('a')), a.listen);
  await eventually(() => a.told.length === 1, Boolean, { what: 'the first' });
  await applyObjects(member, [configMap('b', { v: '1' }), configMap('c')], { owner: { work: 'c-m-1/plain' }, signal });
  await applyObjects(member, [configMap('a', { v: '1' })], { owner: { work: 'c-m-1/plain' }, signal });
  await eventually(() => a.told.length === 2, Boolean, { what: 'the watch to have seen them' });
  member.calls.length = 0;
  using _b = member.watches.follow(refOf(configMap('b')), b.listen);
  await eventually(() => b.told.length === 1, Boolean, { what: 'the second' });
  assert.deepEqual([b.told, member.calls], [['{"v":"1"}'], []]);
});

test('who no longer follows hears nothing, and the watch goes when nobody is left', async t => {
  const member = await startMemoryMember(t);
  const watches = memberWatches(member.client, member.kinds, { signal: member.signal, lingerMs: 0 });
  await put(member, 'a', { v: '1' });
  const first = listener();
  const second = listener();
  const following = watches.follow(refOf(configMap('a')), first.listen);
  await eventually(() => first.told.length === 1, Boolean, { what: 'the present state' });
  following[Symbol.dispose]();
  following[Symbol.dispose]();
  await put(member, 'a', { v: '2' });
  await eventually(
    async () => {
      using _ = watches.follow(refOf(configMap('a')), second.listen);
      await eventually(() => second.told.length > 0, Boolean, { what: 'the state for the second' });
      return watchesOf(member).length;
    },
    count => count >= 2,
  );
  assert.deepEqual(first.told, ['{"v":"1"}']);
});

test('an object of a kind that comes later is seen when it is there, and gone when its kind goes', async t => {
  const member = await startMemoryMember(t);
  const { client } = member;
  const watches = memberWatches(client, member.kinds, { signal: member.signal, retry: { firstDelayMs: 20, maxDelayMs: 50 } });
  const told: boolean[] = [];
  using _ = watches.follow(refOf(widget('w')), obj => told.push(obj !== undefined));
  await eventually(() => told.length === 1, Boolean, { what: 'that it is missing' });
  for (let round = 1; round <= 2; round++) {
    await client.apply(CustomResourceDefinition, widgetDefinition as CustomResourceDefinition);
    const Widget = await eventually(() => member.kinds.find(refOf(widget('w')), member.signal));
    await eventually(() => client.apply(Widget!, widget('w')));
    await eventually(() => told.at(-1) === true, Boolean, { what: 'the object', timeoutMs: 60_000 });
    await client.delete(CustomResourceDefinition, { name: 'widgets.example.com' });
    await eventually(() => told.at(-1) === false, Boolean, { what: 'the end of the kind', timeoutMs: 60_000 });
    await eventually(async () => !(await client.get(CustomResourceDefinition, { name: 'widgets.example.com' })));
  }
});

test('a member that comes back is seen as it is then', async t => {
  let isCut = false;
  const cut = () => new UnreachableError('the wire is cut');
  const member = await startMemoryMember(t);
  const { client } = member;
  const guarded = new Proxy(client, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      if (name !== 'watch') return method;
      return async function* (...args: unknown[]) {
        for await (const event of method(...args) as AsyncIterable<unknown>) {
          if (isCut) throw cut();
          yield event;
        }
      };
    },
  });
  const errors: unknown[] = [];
  const watches = memberWatches(guarded, memberKinds(client), { signal: member.signal, onError: error => errors.push(error) });
  await put(member, 'a', { v: '1' });
  const { told, listen } = listener();
  using _ = watches.follow(refOf(configMap('a')), listen);
  await eventually(() => told.length === 1, Boolean, { what: 'the present state' });
  isCut = true;
  await put(member, 'a', { v: '2' });
  await eventually(() => errors.length > 0, Boolean, { what: 'the break' });
  isCut = false;
  await eventually(() => told.at(-1) === '{"v":"2"}', Boolean, { what: 'the state after the break', timeoutMs: 30_000 });
});
