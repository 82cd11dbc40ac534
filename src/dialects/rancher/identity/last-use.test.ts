import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goodPassword, startIdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { Token } from '../kinds/user.ts';
import { lastUse } from './last-use.ts';

test('the last use of a token is known at once and written when it is time', async t => {
  const { identity, addUser, client } = await startIdentityRig(t);
  const { token } = await identity.tokens.issue({ user: await addUser('jane', goodPassword), kind: 'api' });
  const name = token.metadata.name!;
  const failures: unknown[] = [];
  const uses = lastUse(client, { signal: t.signal, onError: error => failures.push(error) });
  uses.note(token, new Date('2026-11-16T10:00:00Z'));
  uses.note(token, new Date('2026-11-16T10:00:07.5Z'));
  assert.equal(uses.usedAtMs(token), Date.parse('2026-11-16T10:00:07.5Z'));
  assert.equal((await client.get(Token, { name }))?.lastUsedAt, undefined);
  await uses.flush();
  assert.equal((await client.get(Token, { name }))?.lastUsedAt, '2026-11-16T10:00:07Z');
  await client.delete(Token, { name });
  uses.note(token, new Date());
  await uses.flush();
  assert.deepEqual(failures, [], 'a token that is gone is nothing to complain about');
});
