import { defineFlatKind, defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { flag, object, openObject, optional, text } from '../../../api/schema.ts';
import { managementGroup } from '../names.ts';

/** One setting of Rancher. What holds is `value`, or `default` when that is empty. */
export const Setting = defineFlatKind({
  group: managementGroup,
  version: 'v3',
  kind: 'Setting',
  plural: 'settings',
  scope: 'Cluster',
  description: 'One setting of the hub, named as in Rancher.',
  fields: openObject('A setting.', {
    value: optional(text('What somebody chose. Empty: the default holds.')),
    default: optional(text('What holds when nobody chose anything. Written by the hub.')),
    customized: optional(flag('Whether somebody chose a value. Written by the hub.')),
    source: optional(text('Where the value comes from: db, env or default. Written by the hub.')),
  }),
  columns: [{ name: 'Value', type: 'string', path: '.value' }],
});
export type Setting = ObjectFor<typeof Setting>;

/** A part of Rancher that can be switched on and off. */
export const Feature = defineKind({
  group: managementGroup,
  version: 'v3',
  kind: 'Feature',
  plural: 'features',
  scope: 'Cluster',
  description: 'A part of Rancher that can be switched on and off.',
  spec: openObject('What is wanted.', {
    value: optional(flag('Whether the feature is on. The default of the feature when absent.')),
  }),
  status: object('What the hub says about it.', {
    default: optional(flag('Whether it is on when nobody says anything.')),
    dynamic: optional(flag('Whether it can be switched while the hub runs.')),
    description: optional(text('What the feature is.')),
    lockedValue: optional(flag('What it is, whatever else is said.')),
  }),
  columns: [
    { name: 'Custom Value', type: 'boolean', path: '.spec.value' },
    { name: 'Default', type: 'boolean', path: '.status.default' },
    { name: 'Description', type: 'string', path: '.status.description' },
  ],
});
export type Feature = ObjectFor<typeof Feature>;
