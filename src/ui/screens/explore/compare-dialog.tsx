import { useEffect, useState } from 'react';
import { pathOf, resourceOf, type Kind, type KubeObject } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { later } from '../../parts/later.tsx';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { comparable } from './comparable.ts';
import { deviatingClusters, deviationText, type ObjectGroup } from './group-rows.ts';
import { clusterTitle } from './printed-columns.tsx';

const DiffOf = later(async () => {
  const [{ DiffView }, { printYaml }] = await Promise.all([
    import('../../parts/editor/diff-view.tsx'),
    import('../../parts/editor/yaml-editor.tsx'),
  ]);
  return ({ pair: [a, b] }: { pair: Pair }) => <DiffView before={printYaml(a)} after={printYaml(b)} />;
});

type Pair = readonly [KubeObject, KubeObject];

/** The same object on two clusters, as a difference. */
export function CompareDialog({ kind, group, onClose }: { kind: Kind; group: ObjectGroup; onClose(): void }) {
  const clusters = group.members.map(one => one.cluster);
  const odd = deviatingClusters(group);
  const [left, setLeft] = useState(() => clusters.find(one => !odd.has(one)) ?? clusters[0]!);
  const [right, setRight] = useState(() => clusters.find(one => odd.has(one) && one !== left) ?? clusters.find(one => one !== left)!);
  const { pair, error } = usePair(kind, group, left, right);
  const flag = kind.isNamespaced ? `-n ${group.namespace} ` : '';
  const read = (cluster: string) => `<(drover kubectl ${cluster} -- ${flag}get ${resourceOf(kind)} ${group.name} -o yaml)`;
  return (
    <Dialog title={`${kind.kind} ${group.name} on two clusters`} isWide onClose={onClose}>
      {group.differences.length > 0 && (
        <ul>
          {group.differences.map(one => (
            <li key={`${one.column} ${one.value}`}>{deviationText(one)}</li>
          ))}
        </ul>
      )}
      <div className="row">
        <Choice label="From" clusters={clusters} value={left} onChoose={setLeft} />
        <Choice label="To" clusters={clusters} value={right} onChoose={setRight} />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {pair ? <DiffOf pair={pair} /> : error === undefined && <Loading />}
      <p className="muted">Without what each server writes by itself, and without the status. Values of Secrets are not shown.</p>
      <CommandLine command={`diff ${read(left)} ${read(right)}`} />
      <div className="dialog-end">
        <button type="button" className="button" data-first onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly clusters: readonly string[];
  readonly value: string;
  onChoose(cluster: string): void;
}

function Choice({ label, clusters, value, onChoose }: ChoiceProps) {
  return (
    <label className="row">
      <span className="label">{label}</span>
      <select className="input choice" value={value} onChange={event => onChoose(event.target.value)}>
        {clusters.map(cluster => (
          <option key={cluster} value={cluster}>
            {clusterTitle(cluster)}
          </option>
        ))}
      </select>
    </label>
  );
}

function usePair(kind: Kind, { namespace, name }: ObjectGroup, left: string, right: string) {
  const [found, setFound] = useState<{ key: string; pair?: Pair; error?: unknown }>();
  const key = `${left} ${right}`;
  useEffect(() => {
    let isOver = false;
    const read = (cluster: string) => request<KubeObject>(pathOf(kind, { cluster, namespace, name }));
    Promise.all([read(left), read(right)]).then(
      ([a, b]) => isOver || setFound({ key, pair: comparable(a, b) }),
      (error: unknown) => isOver || setFound({ key, error }),
    );
    return () => {
      isOver = true;
    };
  }, [kind, namespace, name, left, right, key]);
  return found?.key === key ? { pair: found.pair, error: found.error } : { pair: undefined, error: undefined };
}
