import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { newToken } from '../../../core/registration/registration-token.ts';
import { hasCsrfCookie, newCsrfCookie, provesSameSite, readCookie } from './cookies.ts';
import { shownCredential } from './shown-credential.ts';

const asking = (rawHeaders: string[], url = '/v3') => ({ rawHeaders, url }) as unknown as IncomingMessage;
const bearer = `token-abcde:${newToken()}`;
const base64 = Buffer.from(bearer).toString('base64');

test('a token is read from every place where clients put it', () => {
  const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(bearer).toString('base64url')}, v4.channel.k8s.io`;
  for (const headers of [
    ['Authorization', `Bearer ${bearer}`],
    ['authorization', `bearer ${bearer}`],
    ['Authorization', `Basic ${base64}`],
    ['Authorization', `Basic ${base64.replaceAll('+', '-').replaceAll('/', '_')}`],
    ['Upgrade', 'websocket', 'Connection', 'Upgrade', 'Sec-WebSocket-Protocol', protocol],
  ])
    assert.deepEqual(shownCredential(asking(headers)), { bearer, isCookie: false }, headers.join(' '));
  for (const cookie of [`R_SESS=${bearer}`, `a=b; R_SESS=${bearer}; c=d`, `R_SESS="${bearer}"`, `R_SESS=${encodeURIComponent(bearer)}`])
    assert.deepEqual(shownCredential(asking(['Cookie', cookie])), { bearer, isCookie: true }, cookie);
});

test('credentials of others are left to others, and then the cookie does not count', () => {
  for (const authorization of [
    'Bearer eyJhbGciOi.x.y',
    'Bearer static:token',
    `Basic ${Buffer.from('helm:secret').toString('base64')}`,
    'Negotiate x',
    '',
  ])
    assert.equal(shownCredential(asking(['Authorization', authorization, 'Cookie', `R_SESS=${bearer}`])), undefined, authorization);
  const twice = ['Authorization', `Bearer ${bearer}`, 'Authorization', 'Bearer other'];
  assert.equal(shownCredential(asking(twice)), undefined);
});

test('of two cookies of one name neither counts', () => {
  assert.equal(readCookie(asking(['Cookie', `R_SESS=${bearer}; R_SESS=token-other:x`]), 'R_SESS'), undefined);
  assert.equal(readCookie(asking(['Cookie', `R_SESS=${bearer}`, 'Cookie', 'R_SESS=x']), 'R_SESS'), undefined);
});

test('the CSRF cookie must be repeated exactly', () => {
  const value = /CSRF=([0-9a-f]{32});/.exec(newCsrfCookie())![1]!;
  const cookie = ['Cookie', `CSRF=${value}`];
  assert.ok(hasCsrfCookie(asking(cookie)));
  assert.ok(provesSameSite(asking([...cookie, 'X-API-CSRF', value])));
  assert.ok(provesSameSite(asking(cookie, `/v3/tokens?action=logout&CSRF=${value}`)));
  assert.equal(provesSameSite(asking(cookie)), false);
  assert.equal(provesSameSite(asking([...cookie, 'X-API-CSRF', value.replace(/.$/, 'g')])), false);
  assert.equal(provesSameSite(asking(['X-API-CSRF', value])), false);
  assert.equal(provesSameSite(asking(['Cookie', 'CSRF=', 'X-API-CSRF', ''])), false);
});

test('no headers make the readers stumble', () => {
  const name = fc.constantFrom('Authorization', 'Cookie', 'Upgrade', 'Connection', 'Sec-WebSocket-Protocol', 'X-API-CSRF');
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom('websocket', 'Upgrade', 'Basic %', 'Basic ====', 'R_SESS=%', 'CSRF=;R_SESS', 'base64url.bearer.authorization.k8s.io.!'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 6 }), fc.string(), (headers, url) => {
      const req = asking(headers.flat(), url);
      shownCredential(req);
      provesSameSite(req);
    }),
  );
});
