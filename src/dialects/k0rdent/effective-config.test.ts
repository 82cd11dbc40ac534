import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, effectiveProvider, readConfig } from './effective-config.ts';

test('without a provider the deprecated fields are its config', () => {
  assert.deepEqual(effectiveProvider({ priority: 300, syncMode: 'Continuous', stopOnConflict: false, reload: true }), {
    name: 'ksm-projectsveltos',
    config: { syncMode: 'Continuous', priority: 300, reloader: true },
  });
});

test('a config stands alone: deprecated fields are ignored, the priority too', () => {
  assert.deepEqual(effectiveProvider({ priority: 900, provider: { config: { priority: 300 } } }), {
    name: 'ksm-projectsveltos',
    config: { priority: 300 },
  });
  assert.equal(readConfig(effectiveProvider({ priority: 900, provider: { config: {} } }).config).priority, 100);
});

test('a named provider without config has none, and counts as priority 100', () => {
  const provider = effectiveProvider({ priority: 900, provider: { name: 'other' } });
  assert.deepEqual(provider, { name: 'other' });
  assert.equal(readConfig(provider.config).priority, 100);
});

test('a config that says nothing is not written', () => {
  assert.deepEqual(effectiveProvider({}), { name: 'ksm-projectsveltos' });
  assert.deepEqual(effectiveProvider({ provider: { config: {} } }), { name: 'ksm-projectsveltos' });
});

test('both words for the reloader are understood', () => {
  assert.equal(readConfig({ reload: true }).reloader, true);
  assert.equal(readConfig({ reloader: true }).reloader, true);
  assert.equal(readConfig({}).reloader, false);
});

for (const priority of [0, 2147483647, 1.5, -1, '100', true]) {
  test(`the priority ${JSON.stringify(priority)} is refused`, () => {
    assert.throws(() => readConfig({ priority }), ConfigError);
  });
}

test('an unknown sync mode is refused', () => assert.throws(() => readConfig({ syncMode: 'Sometimes' }), /OneTime, Continuous/));
