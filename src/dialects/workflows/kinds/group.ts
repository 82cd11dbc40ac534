import { flag, integer, list, object, optional, text, type Schema } from '../../../api/schema.ts';
import { deliveryGroup, deliveryVersion } from '../names.ts';

/** What all kinds of workflows share. */
export const delivery = { group: deliveryGroup, version: deliveryVersion, categories: ['drover'] } as const;

export const readyColumn = { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' } as const;
export const ageColumn = { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' } as const;
export const messageColumn = (type: string) =>
  ({ name: 'Message', type: 'string', path: `.status.conditions[?(@.type=="${type}")].message`, priority: 1 }) as const;

export const secretKey = (description: string) =>
  object(description, {
    name: text('The name of the Secret.', { minLength: 1 }),
    key: text('The key in it.', { minLength: 1 }),
  });

/**
 * The same type with a schema that says no more than what it is: definitions are installed whenever a hub starts, and what stands in many places need be
 * spelled out in one. Admission looks at the rest.
 */
export function loosely<T>({ json }: Schema<T>): Schema<T> {
  const { type, items, description } = json;
  const open = { 'x-kubernetes-preserve-unknown-fields': true };
  if (type !== 'array') return { json: { type: 'object', description: description!, ...open } };
  const { description: one } = items as { description: string };
  return { json: { type: 'array', description: description!, items: { type: 'object', description: one, ...open } } };
}

export const variableFields = {
  name: text('The name.', { minLength: 1, maxLength: 253 }),
  value: optional(text('The value. Expressions are allowed.')),
  secretRef: optional(secretKey('The key of a Secret of this namespace that holds the value. It is never shown.')),
};
export const variable = object('A variable.', variableFields);

/** Who may decide. */
export const deciders = {
  groups: optional(
    list(
      'The groups whose members may decide. Everybody who may change the object, when neither groups nor users are named.',
      text('A group.'),
    ),
  ),
  users: optional(list('The people who may decide.', text('A name.'))),
  minApprovals: optional(integer('How many must approve.', { minimum: 1, default: 1 })),
  selfApproval: optional(flag('Whether whoever started the run may approve it.')),
  message: optional(text('What is to be decided, for people. Expressions are allowed.')),
  autoRejectPrevious: optional(flag('Whether older pending requests of the same workflow, service and infrastructure are rejected.')),
};
