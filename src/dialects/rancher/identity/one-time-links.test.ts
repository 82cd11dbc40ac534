import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { startIdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { StatusError } from '../../../api/status.ts';
import { oneTimeLinks } from './one-time-links.ts';
import { hashPassword } from './password-hash.ts';
import { seedAdmin } from './seed-admin.ts';

const req = {} as IncomingMessage;
const isRefused = (error: unknown) => error instanceof StatusError && error.code === 401;

test('a link signs in the first administrator, once, and not for long', async t => {
  const { client, identity } = await startIdentityRig(t);
  let nowMs = 0;
  const links = oneTimeLinks(identity.objects, () => nowMs);
  const issued = links.issue();
  await seedAdmin(client, await hashPassword('correct horse battery'), {});
  const code = await issued;

  const { user, authProvider } = await links.provider.signIn({ code }, req);
  assert.equal(user.username, 'admin');
  assert.equal(authProvider, 'local');
  await assert.rejects(links.provider.signIn({ code }, req), isRefused, 'twice');
  await assert.rejects(links.provider.signIn({ code: 'guess' }, req), isRefused, 'guessed');

  const late = await links.issue();
  nowMs = 16 * 60_000;
  await assert.rejects(links.provider.signIn({ code: late }, req), isRefused, 'late');
});
