import { useId, type ReactNode } from 'react';

interface Given {
  readonly id: string;
  readonly className: string;
  readonly 'aria-invalid'?: true;
  readonly 'aria-describedby'?: string;
}

/** A field with its name, what is wrong with it, and what helps to fill it in. */
export function Field({
  label,
  hint,
  fault,
  children,
}: {
  label: string;
  hint?: string | undefined;
  fault?: string | undefined;
  children(given: Given): ReactNode;
}) {
  const id = useId();
  const about = fault ?? hint;
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        className: 'input',
        ...(fault !== undefined && { 'aria-invalid': true }),
        ...(about && { 'aria-describedby': `${id}-about` }),
      })}
      {about && (
        <span className={fault === undefined ? 'hint' : 'fault'} id={`${id}-about`}>
          {about}
        </span>
      )}
    </div>
  );
}
