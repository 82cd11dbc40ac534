import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiVersionOf } from '../../../api/object.ts';
import { Setting } from '../kinds/setting.ts';
import { settingDefaults, settingVariable } from './setting-names.ts';
import { effectiveSetting, parseBytes } from './settings.ts';

const defaults = settingDefaults({ serverUrl: 'https://hub', authorities: 'PEM', version: '1', agentImage: 'drover:1' });
const setting = (name: string, value: string, uid = 'uid-1'): Setting => ({
  apiVersion: apiVersionOf(Setting),
  kind: Setting.kind,
  metadata: { name, uid },
  value,
});

test('the environment decides first, then what somebody chose, then the default', () => {
  const env = { CATTLE_SERVER_URL: 'https://env' };
  const chosen = setting('server-url', 'https://chosen');
  assert.deepEqual(effectiveSetting('server-url', chosen, { defaults, env }), {
    value: 'https://env',
    default: 'https://hub',
    customized: false,
    source: 'env',
  });
  assert.deepEqual(effectiveSetting('server-url', chosen, { defaults, env: {} }), {
    value: 'https://chosen',
    default: 'https://hub',
    customized: true,
    source: 'db',
  });
  for (const nothing of [undefined, setting('server-url', '')])
    assert.deepEqual([effectiveSetting('server-url', nothing, { defaults, env: {} }).value, 'default'], ['https://hub', 'default']);
});

test('a setting that nobody knows is what its object says, whatever the environment has', () => {
  const env = { CATTLE_SOMETHING: 'x' };
  assert.equal(effectiveSetting('something', undefined, { defaults, env }).value, '');
  assert.equal(effectiveSetting('something', setting('something', 'y'), { defaults, env }).value, 'y');
});

test('the installation is called by the uid of its setting', () => {
  assert.equal(effectiveSetting('install-uuid', setting('install-uuid', ''), { defaults, env: {} }).value, 'uid-1');
});

test('variables are called as in Rancher', () => {
  assert.equal(settingVariable('auth-user-session-ttl-minutes'), 'CATTLE_AUTH_USER_SESSION_TTL_MINUTES');
});

test('amounts are read as Kubernetes writes them', () => {
  for (const [text, bytes] of [
    ['1Mi', 1_048_576],
    ['2k', 2000],
    ['512', 512],
    ['0', undefined],
    ['-1Mi', undefined],
    ['8Ei', undefined],
    ['much', undefined],
    ['', undefined],
  ] as const)
    assert.equal(parseBytes(text), bytes, text);
});
