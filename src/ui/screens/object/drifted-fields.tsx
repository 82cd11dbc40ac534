import type { DriftedField } from '../../../api/work.ts';
import { FieldChanges } from '../../parts/field-changes.tsx';

/** Which fields are not as delivered, and who owns them now, object by object. */
export function DriftedFields({ drift }: { drift: readonly DriftedField[] }) {
  const objects = Map.groupBy(drift, ({ kind, namespace, name }) => `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
  return (
    <>
      {[...objects].map(([title, fields]) => (
        <div key={title} className="stack tight">
          <strong>
            <bdi>{title}</bdi>
          </strong>
          {fields.some(one => one.path === '') ? (
            <p>It is gone from the cluster.</p>
          ) : (
            <FieldChanges
              name={`Drift of ${title}`}
              fields={fields.map(({ path, want, have, manager }) => ({ path, before: want, after: have, owner: manager }))}
              heads={{ before: 'Delivered', after: 'On the cluster', owner: 'Changed by' }}
            />
          )}
        </div>
      ))}
    </>
  );
}
