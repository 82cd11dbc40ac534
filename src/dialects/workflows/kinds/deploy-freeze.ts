import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { duration } from '../../../api/rollout.ts';
import { flag, list, object, oneOf, optional, text, time } from '../../../api/schema.ts';
import { ageColumn, delivery } from './group.ts';

export const DeployFreeze = defineKind({
  ...delivery,
  kind: 'DeployFreeze',
  plural: 'deployfreezes',
  shortNames: ['frz'],
  scope: 'Cluster',
  description: 'A time in which runs may not begin, or in which alone they may. Rollbacks always may.',
  spec: object(
    'When, and for whom.',
    {
      kind: oneOf(['Deny', 'Allow'], 'Deny: no run begins then. Allow: runs begin only then.'),
      start: optional(time('When it begins. With rrule the first time.')),
      end: optional(time('When it ends.')),
      rrule: optional(text('How it comes again, as RFC 5545 has it, such as FREQ=WEEKLY;BYDAY=FR.')),
      duration: duration('With rrule: how long it lasts each time. As long as from start to end when absent.'),
      timeZone: optional(text('The time zone of rrule. UTC when absent.')),
      selector: optional(
        object('Which runs. All when absent.', {
          namespaces: optional(list('In which namespaces. All when empty.', text('A namespace.'))),
          environments: optional(
            list('To which environments: Prod, NonProd, or a name. All when empty.', text('A type of environment, or a name.')),
          ),
          workflows: optional(list('Of which workflows. All when empty.', text('A name.'))),
        }),
      ),
      exemptGroups: optional(list('Groups whose members are not held up.', text('A group.'))),
      running: optional(oneOf(['Pause', 'Continue'], 'What becomes of runs that are under way.', { default: 'Continue' })),
    },
    { rules: [{ rule: 'has(self.rrule) || (has(self.start) && has(self.end))', message: 'start and end, or rrule, are needed' }] },
  ),
  status: object(
    'Whether it counts now.',
    {
      active: optional(flag('Whether it counts now.')),
      nextChange: optional(time('When that changes next.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Kind', type: 'string', path: '.spec.kind' },
    { name: 'Active', type: 'boolean', path: '.status.active' },
    { name: 'Start', type: 'string', path: '.spec.start', priority: 1 },
    { name: 'End', type: 'string', path: '.spec.end', priority: 1 },
    { name: 'Next', type: 'string', path: '.status.nextChange' },
    ageColumn,
  ],
});
export type DeployFreeze = ObjectFor<typeof DeployFreeze>;
