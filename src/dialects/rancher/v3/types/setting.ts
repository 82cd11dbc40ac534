import type { JsonObject } from '../../../../util/json.ts';
import type { Settings } from '../../clusters/settings.ts';
import { Feature, Setting } from '../../kinds/setting.ts';
import { kindType } from '../kind-type.ts';
import { NormanError } from '../norman-error.ts';
import type { NormanType } from '../norman-type.ts';

/** `/v3/settings`. */
export function settingType(settings: Settings): NormanType {
  const type = kindType<Setting>({
    id: 'setting',
    plural: 'settings',
    kind: Setting,
    isFlat: true,
    resourceMethods: ['GET', 'PUT'],
    fields: {
      name: { type: 'string', at: 'metadata.name' },
      value: { type: 'string', update: true, nullable: true },
      default: { type: 'string' },
      customized: { type: 'boolean', default: false },
      source: { type: 'string' },
    },
    complete: (fields, setting) => ({ ...fields, ...shownAs(setting) }),
  });
  const { store } = type;
  return {
    ...type,
    store: {
      ...store,
      update(ctx, id, fields, options) {
        if (id === 'cacerts' || settings.effective(id).source === 'env')
          throw new NormanError(405, 'MethodNotAllow', `setting ${JSON.stringify(id)} cannot be changed here`);
        return store.update!(ctx, id, fields, options);
      },
    },
  };

  /** What holds, as this very object says it: memory may be a moment behind. */
  function shownAs({ metadata: { name = '' }, value = '' }: Setting): JsonObject {
    const known = settings.effective(name);
    if (known.source === 'env') return { ...known };
    return value === ''
      ? { value: known.default, default: known.default, customized: false, source: 'default' }
      : { value, default: known.default, customized: true, source: 'db' };
  }
}

/** `/v3/features`. */
export const featureType: NormanType = kindType<Feature>({
  id: 'feature',
  plural: 'features',
  kind: Feature,
  resourceMethods: ['GET', 'PUT'],
  fields: {
    name: { type: 'string', at: 'metadata.name' },
    value: { type: 'boolean', update: true, nullable: true },
    default: { type: 'boolean', default: false },
    dynamic: { type: 'boolean', default: false },
    description: { type: 'string' },
    lockedValue: { type: 'boolean' },
  },
});
