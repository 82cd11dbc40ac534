import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startMailServer, type MailServerOptions, type TestMailServer } from '../../test/helpers/mail-server.ts';
import { errorText } from '../util/error-text.ts';
import { createEgress } from './egress.ts';
import { SourceError } from './source-error.ts';
import { isMailAddress, submitMail, type Mail, type MailServer } from './submit-mail.ts';

const egress = createEgress({ allow: ['127.0.0.0/8'] });
const mail: Mail = { from: 'drover@example.com', to: 'ops@example.com', text: 'Subject: x\r\n\r\n.dots\r\n..\r\nend\r\n' };
const users = { drover: 'open sesame' };

const submit = (server: MailServer, more: Partial<Mail> = {}, timeoutMs = 10_000) =>
  submitMail(server, { ...mail, ...more }, { egress, timeoutMs, signal: new AbortController().signal });

async function start(t: TestContext, options: MailServerOptions = {}): Promise<TestMailServer & { server: MailServer }> {
  const running = await startMailServer(t, options);
  const { url, ca } = running;
  return { ...running, server: { url, ca, ...(options.users && { username: 'drover', password: 'open sesame' }) } };
}

const fails = (words: RegExp, isFinal: boolean) => (error: unknown) => {
  assert.ok(error instanceof SourceError, String(error));
  assert.match(errorText(error), words);
  assert.equal(error.isFinal, isFinal, errorText(error));
  assert.doesNotMatch(errorText(error), /sesame|AGRyb3Zlc/);
  return true;
};

for (const [security, ways] of [
  ['starttls', 'PLAIN'],
  ['tls', 'LOGIN'],
] as const) {
  test(`a mail is handed over by ${security} with ${ways}, dots and all`, async t => {
    const { server, mails } = await start(t, { security, ways, users });
    await submit(server);
    assert.deepEqual(mails, [
      { from: 'drover@example.com', to: ['ops@example.com'], text: 'Subject: x\r\n\r\n.dots\r\n..\r\nend', isSecure: true, user: 'drover' },
    ]);
  });
}

test('a server that never ends its answer is left before it fills the memory', async t => {
  const { server } = await start(t, {
    answer: line => (line.startsWith('EHLO') ? `${'250-and more\r\n'.repeat(10_000)}250 ok` : undefined),
  });
  await assert.rejects(submit(server), fails(/too long/, false));
});

test('without TLS nothing is sent but where that is said, and never a password', async t => {
  const plain = await start(t, { security: 'none', users });
  await assert.rejects(submit({ ...plain.server, url: plain.url.replace('?tls=none', '') }), fails(/does not offer STARTTLS/, true));
  await assert.rejects(submit(plain.server), fails(/a password is not sent/, true));
  assert.ok(!plain.commands.some(one => one.startsWith('AUTH') || one.startsWith('MAIL')));
  const open = await start(t, { security: 'none' });
  await submit(open.server);
  assert.equal(open.mails[0]?.isSecure, false);
  const stranger = createEgress({ lookup: () => Promise.resolve(['93.184.216.34']) });
  await assert.rejects(
    submitMail({ url: 'smtp://mail.example:25?tls=none' }, mail, {
      egress: stranger,
      timeoutMs: 1000,
      signal: new AbortController().signal,
    }),
    fails(/needs the permission of the operator/, true),
  );
});

test('an address that is not public needs the permission of the operator', async t => {
  const { server } = await start(t);
  const strict = createEgress();
  const options = { egress: strict, timeoutMs: 1000, signal: new AbortController().signal };
  await assert.rejects(submitMail(server, mail, options), fails(/--allow-egress/, true));
});

test('a server that nobody vouches for, or that says something before it is secure, gets nothing', async t => {
  const { server, commands } = await start(t, { users });
  await assert.rejects(submit({ ...server, ca: undefined }), fails(/cannot reach the mail server/, false));
  const wrong = await start(t, { users, hosts: ['mail.other.example'] });
  await assert.rejects(submit(wrong.server), fails(/cannot reach the mail server/, false));
  const injecting = await start(t, { users, injects: '250 AUTH PLAIN\r\n' });
  await assert.rejects(submit(injecting.server), fails(/speaks before it is secure|cannot reach/, true));
  for (const said of [commands, wrong.commands, injecting.commands]) assert.ok(!said.some(one => /^(AUTH|MAIL)/.test(one)));
});

test('what the server refuses for good is not tried again; a wrong password may become right', async t => {
  const { server } = await start(t, { users });
  await assert.rejects(submit({ ...server, password: 'close sesame' }), fails(/AUTH.*535 5\.7\.8 wrong name/, false));
  const full = await start(t, { answer: one => (one.startsWith('RCPT') ? '550 5.1.1 no such mailbox' : undefined) });
  await assert.rejects(submit(full.server), fails(/RCPT.*550 5\.1\.1 no such mailbox/, true));
  const busy = await start(t, { answer: one => (one.startsWith('MAIL') ? '451 4.3.2 later' : undefined) });
  await assert.rejects(submit(busy.server), fails(/MAIL.*451/, false));
  const odd = await start(t, { users, ways: 'CRAM-MD5' });
  await assert.rejects(submit(odd.server), fails(/neither AUTH PLAIN nor AUTH LOGIN/, true));
});

test('a server that is silent, or talks without end, keeps nobody', async t => {
  const silent = await start(t, { answer: one => (one.startsWith('EHLO') ? '250-and then' : undefined) });
  await assert.rejects(submit(silent.server, {}, 200), fails(/did not take the mail within 0.2 s/, false));
  const endless = await start(t, { answer: one => (one.startsWith('EHLO') ? `250-${'x'.repeat(100_000)}` : undefined) });
  await assert.rejects(submit(endless.server), fails(/cannot reach the mail server|too long/, false));
  const rude = await start(t, { answer: one => (one.startsWith('EHLO') ? '<html>' : undefined) });
  await assert.rejects(submit(rude.server), fails(/does not answer as mail servers do/, true));
});

test('nothing but addresses goes into a command', async t => {
  const { server, commands } = await start(t);
  const bad = ['a@b\r\nRCPT TO:<c@d>', 'a@b>', 'a b@c', '<a@b>', 'a@b c', 'a', '@b', 'a@', 'ä@b', 'a@b\0', '"a b"@c', 'a@b..c'];
  for (const to of bad) {
    assert.equal(isMailAddress(to), false, to);
    await assert.rejects(submit(server, { to }), fails(/is no mail address/, true));
  }
  assert.deepEqual(commands, []);
  for (const fine of ['ops@example.com', 'a.b+c@mail.example', "o'neil@x"]) assert.equal(isMailAddress(fine), true, fine);
});
