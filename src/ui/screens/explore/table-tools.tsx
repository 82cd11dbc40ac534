import { useEffect, useState, type FormEvent } from 'react';
import { useUrlValue } from '../../app/place.tsx';
import { clustersAtOnce, useFirstCluster } from './printed-rows.ts';

/** Which objects the servers are asked for, by labels. What comes back is sorted and filtered here. */
export function SelectorField({ name }: { name: string }) {
  const [selector, setSelector] = useUrlValue(name);
  const [text, setText] = useState(selector);
  useEffect(() => setText(selector), [selector]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSelector(text.trim());
  };
  return (
    <form className="selector" onSubmit={submit}>
      <input
        className="input"
        aria-label="Labels, asked of the servers"
        title="A label selector for the servers, such as app=web,env!=prod. Enter asks."
        placeholder="Labels: app=web"
        spellCheck={false}
        value={text}
        onChange={event => setText(event.target.value)}
        onBlur={() => setSelector(text.trim())}
      />
    </form>
  );
}

/** Whether the same object on several clusters is one row. */
export function RowsChoice({ name }: { name: string }) {
  const [rows, setRows] = useUrlValue(name);
  const isGrouped = rows === 'object';
  return (
    <div className="segments" role="group" aria-label="Rows">
      <button type="button" aria-pressed={!isGrouped} onClick={() => setRows('')} title="A row for each object on each cluster">
        <span data-title="Each">Each</span>
      </button>
      <button type="button" aria-pressed={isGrouped} onClick={() => setRows('object')} title="One row for the same object on all clusters">
        <span data-title="Grouped">Grouped</span>
      </button>
    </div>
  );
}

/** Which of many clusters are looked at, and the way to the others. */
export function ClusterPages({ total }: { total: number }) {
  const [first, setFirst] = useFirstCluster();
  if (total <= clustersAtOnce) return null;
  const last = Math.min(first + clustersAtOnce, total);
  return (
    <div className="row" role="status">
      <span className="muted">
        Clusters {(first + 1).toLocaleString()} to {last.toLocaleString()} of {total.toLocaleString()}, by name. Sorting and filter cover
        these; at the top you choose others.
      </span>
      <button type="button" className="button" disabled={first === 0} onClick={() => setFirst(Math.max(0, first - clustersAtOnce))}>
        Those before
      </button>
      <button type="button" className="button" disabled={last >= total} onClick={() => setFirst(last)}>
        Next
      </button>
    </div>
  );
}

/** Says so when a list is longer than a tab should hold. */
export function NotLoaded({ left }: { left: number }) {
  if (left === 0) return null;
  return (
    <p className="muted" role="status">
      {left.toLocaleString()} objects are not loaded, so sorting and filter do not cover them: ask the servers for fewer, by labels, or
      choose a namespace or clusters at the top.
    </p>
  );
}
