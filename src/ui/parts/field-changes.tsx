import { SmallTable } from './small-table.tsx';

/** A value of a field before and after. */
export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Who owns the field. */
  readonly owner?: string | undefined;
}

interface FieldChangesProps {
  readonly name: string;
  readonly fields: readonly FieldChange[];
  readonly heads: { readonly before: string; readonly after: string; readonly owner?: string };
}

/** Field by field, what it was and what it is or would be. */
export function FieldChanges({ name, fields, heads }: FieldChangesProps) {
  const hasOwner = heads.owner !== undefined;
  return (
    <SmallTable
      name={name}
      heads={['Field', heads.before, heads.after, ...(hasOwner ? [heads.owner] : [])]}
      rows={fields.map(({ path, before, after, owner }) => [
        <code key="path">{path}</code>,
        <Value key="before" value={before} look="gone" />,
        <Value key="after" value={after} look="come" />,
        ...(hasOwner ? [owner ?? <span className="muted">not known</span>] : []),
      ])}
    />
  );
}

function Value({ value, look }: { value: unknown; look: 'gone' | 'come' }) {
  if (value === undefined) return <span className="muted">not there</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <code className={`value ${look}`}>{text === '' ? '""' : text}</code>;
}
