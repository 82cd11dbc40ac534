import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthConfig, Token, User } from '../kinds/user.ts';
import { judgeToken, type TokenFacts, type TokenVerdict } from './judge-token.ts';

const createdAt = '2026-11-16T10:00:00Z';
const at = (minutes: number) => Date.parse(createdAt) + minutes * 60_000;
const meta = { apiVersion: 'management.cattle.io/v3' };

function token(fields: Partial<Token> = {}, kind = ''): Token {
  return {
    ...meta,
    kind: 'Token',
    metadata: {
      name: 'token-abcde',
      creationTimestamp: createdAt,
      labels: { 'authn.management.cattle.io/kind': kind },
      annotations: { 'drover.io/session-password': 'one' },
      ownerReferences: [{ apiVersion: 'management.cattle.io/v3', kind: 'User', name: 'u-jane', uid: 'uid-jane' }],
    },
    userId: 'u-jane',
    ttl: 60 * 60_000,
    ...fields,
  } as Token;
}

const jane = { ...meta, kind: 'User', metadata: { name: 'u-jane', uid: 'uid-jane' } } as User;
const facts: TokenFacts = { nowMs: at(10), user: jane, provider: undefined, passwordId: 'one', idleTtlMs: 30 * 60_000 };
const provider = (enabled: boolean) => ({ ...meta, kind: 'AuthConfig', metadata: { name: 'x' }, type: 'x', enabled }) as AuthConfig;

const cases: readonly [string, Token, Partial<TokenFacts>, TokenVerdict][] = [
  ['one that nothing speaks against', token(), {}, 'valid'],
  ['one that was switched off', token({ enabled: false }), {}, 'disabled'],
  ['one whose time is over', token(), { nowMs: at(60) }, 'expired'],
  ['one whose time is about to be over', token(), { nowMs: at(60) - 1 }, 'valid'],
  ['one without end', token({ ttl: 0 }), { nowMs: at(1e7) }, 'valid'],
  ['one with an end that cannot be read', token({ ttl: 0, expiresAt: 'soon' }), {}, 'expired'],
  ['one that ends at a time', token({ ttl: 0, expiresAt: '2026-11-16T10:05:00Z' }), {}, 'expired'],
  ['one of a user who is gone', token(), { user: undefined }, 'noUser'],
  ['one of a user who was made anew', token(), { user: { ...jane, metadata: { name: 'u-jane', uid: 'other' } } }, 'noUser'],
  ['one of somebody else', token({ userId: 'u-joe' }), {}, 'noUser'],
  ['one of a disabled user', token(), { user: { ...jane, enabled: false } }, 'userDisabled'],
  ['one of a provider that is not there', token({ authProvider: 'genericoidc' }), {}, 'providerDisabled'],
  ['one of a provider that is off', token({ authProvider: 'genericoidc' }), { provider: provider(false) }, 'providerDisabled'],
  ['one of a provider that is on', token({ authProvider: 'genericoidc' }), { provider: provider(true) }, 'valid'],
  ['a local one when passwords are off', token(), { provider: provider(false) }, 'providerDisabled'],
  ['a session of another password', token({}, 'session'), { passwordId: 'two' }, 'passwordChanged'],
  ['a session of a password that is gone', token({}, 'session'), { passwordId: undefined }, 'passwordChanged'],
  ['an API key of another password', token(), { passwordId: 'two' }, 'valid'],
  ['a session that rested too long', token({}, 'session'), { nowMs: at(31) }, 'idle'],
  ['a session that was used meanwhile', token({}, 'session'), { nowMs: at(31), usedAtMs: at(5) }, 'valid'],
  ['a session whose use was written', token({ lastUsedAt: '2026-11-16T10:05:00Z' }, 'session'), { nowMs: at(31) }, 'valid'],
  ['a session that may rest for ever', token({}, 'session'), { nowMs: at(59), idleTtlMs: 0 }, 'valid'],
  ['an API key that rested', token(), { nowMs: at(59) }, 'valid'],
];

for (const [what, one, changed, verdict] of cases)
  test(`${what} is ${verdict}`, () => assert.equal(judgeToken(one, { ...facts, ...changed }), verdict));
