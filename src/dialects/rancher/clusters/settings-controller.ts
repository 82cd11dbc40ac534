import { apiVersionOf } from '../../../api/object.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import type { Key } from '../../../runtime/key.ts';
import { Setting } from '../kinds/setting.ts';
import { fixedKeys } from './fixed-keys.ts';
import { fieldManager } from './field-manager.ts';
import type { Settings } from './settings.ts';

export interface SettingsDeps {
  readonly hub: KubeClient;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

/** Keeps an object of every setting there, with its default and where its value comes from. What people chose is theirs. */
export function runSettings({ hub, settings, signal }: SettingsDeps): RunningController {
  const triggers = [changesOf(settings.informer), fixedKeys(settings.names)];
  return runController({ name: 'rancher-setting', reconcile }, { triggers, signal });

  async function reconcile(name: Key, { signal }: Context): Promise<Outcome> {
    if (!settings.names.includes(name)) return settled;
    const present = settings.informer.get(name);
    const { default: fallback, customized, source } = settings.effective(name);
    const wanted = { default: fallback, customized, source };
    if (!present) {
      const metadata = { name };
      const made = { apiVersion: apiVersionOf(Setting), kind: Setting.kind, metadata, value: '', ...wanted };
      await createMissing(hub, Setting, made, { signal });
      return settled;
    }
    const isSame = present.default === fallback && present.customized === customized && present.source === source;
    if (!isSame) await hub.patch(Setting, { name }, { type: 'merge', body: wanted }, { signal, fieldManager });
    return settled;
  }
}
