import { defineFlatKind, type ObjectFor } from '../../api/define-kind.ts';
import { flag, list, object, openObject, optional, text } from '../../api/schema.ts';

const condition = openObject('One aspect of the setting.', {
  type: text('What it is about.'),
  status: text('True, False or Unknown.'),
  reason: optional(text('Why, in one word.')),
  message: optional(text('Why, for people.')),
  lastUpdateTime: optional(text('When it was last written.')),
  lastTransitionTime: optional(text('When the status last changed.')),
});

/** A setting of Harvester. What holds is `value`, or `default` when that is empty. */
export const HarvesterSetting = defineFlatKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'Setting',
  plural: 'settings',
  scope: 'Cluster',
  description: 'A setting of Harvester.',
  fields: openObject('The setting.', {
    value: optional(text('What somebody chose.')),
    default: optional(text('What holds when nobody chose anything.')),
    customized: optional(flag('Whether somebody chose something.')),
    source: optional(text('Where the value comes from.')),
    status: optional(object('What became of it.', { conditions: optional(list('The aspects of the setting.', condition)) })),
  }),
  hasStatus: true,
  columns: [{ name: 'Value', type: 'string', path: '.value' }],
});
export type HarvesterSetting = ObjectFor<typeof HarvesterSetting>;

/** The setting that makes a Harvester cluster a member of a hub. */
export const registrationSetting = 'cluster-registration-url';
