export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
}

/** The conditions of an object of any kind. Kinds of others may call anything so: what is no condition is left out. */
export function conditionsOf(object: { readonly [field: string]: unknown }): readonly ConditionLike[] {
  const found = fieldsOf(object['status'])['conditions'];
  if (!Array.isArray(found)) return [];
  return found.map(fieldsOf).flatMap(one => {
    const [type, status] = [textOf(one['type']), textOf(one['status'])];
    if (type === undefined || status === undefined) return [];
    return [
      {
        type,
        status,
        reason: textOf(one['reason']),
        message: textOf(one['message']),
        lastTransitionTime: textOf(one['lastTransitionTime']),
      },
    ];
  });
}

/** The phase of an object, if it says one in a word. */
export const phaseOf = (object: { readonly [field: string]: unknown }): string | undefined => textOf(fieldsOf(object['status'])['phase']);

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
