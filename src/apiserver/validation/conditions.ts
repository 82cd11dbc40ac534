import { at, duplicate, invalid, notSupported, required, tooLong, type FieldError } from '../../api/field-error.ts';
import { isLongerThan, patternMessage } from '../../api/names.ts';
import { validateLabelName } from './object-meta.ts';

/** metav1.Condition */
interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const reasonFmt = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonPattern = new RegExp(`^${reasonFmt}$`);
const reasonText =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";

/** Conditions of the common form: types unique, every field well formed. */
export function validateConditions(conditions: readonly Condition[] | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, condition] of (conditions ?? []).entries()) {
    const type = condition.type ?? '';
    if (seen.has(type)) errors.push(duplicate(at.child(at.index(path, i), 'type'), type));
    seen.add(type);
    errors.push(...validateCondition(condition, at.index(path, i)));
  }
  return errors;
}

function validateCondition(condition: Condition, path: string): FieldError[] {
  const errors = validateLabelName(condition.type ?? '', at.child(path, 'type'));
  const status = condition.status ?? '';
  if (!['True', 'False', 'Unknown'].includes(status))
    errors.push(notSupported(at.child(path, 'status'), status, ['False', 'True', 'Unknown']));
  if ((condition.observedGeneration ?? 0) < 0)
    errors.push(invalid(at.child(path, 'observedGeneration'), condition.observedGeneration, 'must be greater than or equal to zero'));
  if (!condition.lastTransitionTime) errors.push(required(at.child(path, 'lastTransitionTime')));
  const reason = condition.reason ?? '';
  if (reason === '') errors.push(required(at.child(path, 'reason')));
  else if (!reasonPattern.test(reason))
    errors.push(
      invalid(
        at.child(path, 'reason'),
        reason,
        patternMessage(reasonText, reasonFmt, 'my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'),
      ),
    );
  if (isLongerThan(reason, 1024)) errors.push(tooLong(at.child(path, 'reason'), 1024));
  if (isLongerThan(condition.message ?? '', 32768)) errors.push(tooLong(at.child(path, 'message'), 32768));
  return errors;
}
