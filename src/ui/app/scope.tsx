import { useMemo, useState } from 'react';
import { seesHub } from '../data/hub-sight.ts';
import { hub, kinds } from '../data/kinds.ts';
import { useList } from '../data/use-list.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { useUrlValue, useUrlValues } from './place.tsx';

export interface Scope {
  /** Names of clusters; all when there are none. */
  readonly clusters: readonly string[];
  /** All when empty. */
  readonly namespace: string;
}

/** Which clusters and which namespace somebody looks at, as the address says. */
export function useScope(): Scope {
  const [clusters] = useUrlValues('cluster');
  const [namespace] = useUrlValue('ns');
  return useMemo(() => ({ clusters, namespace }), [clusters.join(), namespace]);
}

/** Those whose cluster somebody looks at. */
export function useOfScope<T>(all: readonly T[], clusterOf: (one: T) => string | undefined): readonly T[] {
  const { clusters } = useScope();
  return useMemo(
    () => (clusters.length === 0 ? all : all.filter(one => clusters.includes(clusterOf(one) ?? ''))),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- where something is does not depend on who asks
    [all, clusters],
  );
}

/** Says that some are left out, and how to see them. */
export function LeftOut({ count }: { count: number }) {
  const [, setClusters] = useUrlValues('cluster');
  if (count <= 0) return null;
  return (
    <span className="row">
      <span className="muted">
        {count.toLocaleString()} {count === 1 ? 'other is' : 'others are'} left out
      </span>
      <button type="button" className="button" onClick={() => setClusters([])}>
        All clusters
      </button>
    </span>
  );
}

export function ScopeChooser() {
  const { clusters, namespace } = useScope();
  const [isOpen, setOpen] = useState(false);
  const where = clusters.length === 0 ? 'All clusters' : clusters.length === 1 ? clusters[0] : `${clusters.length} clusters`;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)} aria-haspopup="dialog">
        <Icon name="clusters" />
        <span className="cut">{where}</span>
        <span className={`muted cut ${namespace === '' ? 'usual' : ''}`}>{namespace || 'all namespaces'}</span>
      </button>
      {isOpen && <ScopeDialog onClose={() => setOpen(false)} />}
    </>
  );
}

const mostShown = 200;

function ScopeDialog({ onClose }: { onClose(): void }) {
  const { items } = useList({ kind: kinds.cluster });
  const [chosen, setChosen] = useUrlValues('cluster');
  const [namespace, setNamespace] = useUrlValue('ns');
  const [text, setText] = useState('');
  const names = useMemo(() => [...(seesHub() ? [hub] : []), ...items.map(one => one.metadata.name!).toSorted()], [items]);
  const found = names.filter(name => name.includes(text.trim()));
  const flip = (name: string) => setChosen(chosen.includes(name) ? chosen.filter(one => one !== name) : [...chosen, name]);
  return (
    <Dialog title="What to look at" onClose={onClose}>
      <label className="field">
        <span className="label">Namespace</span>
        <input
          className="input"
          value={namespace}
          placeholder="All"
          spellCheck={false}
          onChange={event => setNamespace(event.target.value)}
        />
      </label>
      <fieldset className="stack tight">
        <legend className="row">
          <strong>Clusters</strong>
        </legend>
        <input
          className="input"
          type="search"
          aria-label="Find a cluster"
          placeholder="Find"
          value={text}
          onChange={e => setText(e.target.value)}
        />
        <div className="scope-list" tabIndex={0} role="group" aria-label="Clusters to choose from">
          {found.slice(0, mostShown).map(name => (
            <label key={name} className="row">
              <input type="checkbox" checked={chosen.includes(name)} onChange={() => flip(name)} />
              {name === hub ? 'local (the hub itself)' : name}
            </label>
          ))}
          {found.length > mostShown && <p className="muted">and {found.length - mostShown} more: find them by name</p>}
          {found.length === 0 && <p className="muted">There is none.</p>}
        </div>
        <p className="muted">None chosen means all.</p>
      </fieldset>
      <div className="dialog-end">
        <button type="button" className="button" onClick={() => setChosen([])}>
          All clusters
        </button>
        <button type="button" className="button main-deed" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
