import { listMap, openObject, optional, text, type TypeOf } from '../../../api/schema.ts';

const condition = openObject('One aspect of the object as it was last observed.', {
  type: text('What the condition is about.'),
  status: text('True, False or Unknown. Unknown: it is on its way.'),
  reason: optional(text('Why, in one word for programs.')),
  message: optional(text('Why, for people.')),
  lastUpdateTime: optional(text('When the condition was last written.')),
  lastTransitionTime: optional(text('When the status last changed.')),
});

/** A condition in Rancher's form. */
export type RancherCondition = TypeOf<typeof condition>;

export const rancherConditions = optional(listMap('The aspects of the object as last observed.', condition, ['type']));
