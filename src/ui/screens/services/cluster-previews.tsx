import { lazy, Suspense, useMemo, useState } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import { useLineStream } from '../../data/use-line-stream.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { droverName, type MultiClusterService } from './service-kinds.ts';
import { objectTitle } from './service-works.ts';

const DiffView = lazy(async () => ({ default: (await import('../../parts/editor/diff-view.tsx')).DiffView }));

interface PreviewedObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** As YAML; empty where it is not. */
  readonly live: string;
  readonly merged: string;
}

interface ClusterPreview {
  readonly cluster: string;
  readonly changes: readonly PreviewedObject[];
  readonly kept: number;
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

type Line = { readonly clusters: readonly string[] } | ClusterPreview | { readonly error: string };

const previewPath = '/previews/services';
const fewObjects = 5;

/** What a service would change on each of its clusters if it were as it is here. The hub asks the members, with the rights of whoever looks. */
export function ClusterPreviews({ owner, file = 'changed.yaml' }: { owner: KubeObject; file?: string }) {
  const body = useMemo(() => JSON.stringify(owner), [owner]);
  const { lines, isLive, error } = useLineStream<Line>(previewPath, body);
  const clusters = lines.flatMap(line => ('clusters' in line ? line.clusters : []));
  const previews = lines.filter(line => 'cluster' in line).sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
  // The first by name, not the first that answers: what somebody looks at stays as it is when others answer.
  const first = clusters.toSorted()[0];
  const broken = lines.find(line => 'error' in line);
  return (
    <section className="stack tight" aria-label="On its clusters">
      <h3>On its clusters</h3>
      <p className="muted" role="status">
        {isLive ? 'The clusters are asked what would change there.' : `${previews.length} of ${clusters.length} clusters were asked.`}
      </p>
      {isLive && <Loading />}
      {error && <ErrorNote error={error} about="What would change on clusters" />}
      {broken && <ErrorNote error={broken.error} about="What would change on clusters" />}
      {!isLive && !error && clusters.length === 0 && <p>No cluster is meant, and none has it.</p>}
      {previews.map(preview => (
        <Preview key={preview.cluster} preview={preview} isFirst={preview.cluster === first} />
      ))}
      <CommandLine command={`drover diff ${droverName(owner as unknown as MultiClusterService)} -f ${file}`} />
    </section>
  );
}

function Preview({ preview: { cluster, changes, kept, notes, problems }, isFirst }: { preview: ClusterPreview; isFirst: boolean }) {
  return (
    <section className="card stack tight" aria-label={`On ${cluster}`}>
      <div className="row">
        <h4>
          <bdi>{cluster}</bdi>
        </h4>
        <span className="muted">
          {changes.length === 0 ? 'no object would change' : `${changes.length} would change`}
          {kept > 0 && `, ${kept} would stay as they are`}
        </span>
      </div>
      {problems.map(text => (
        <p key={text}>
          <StateBadge tone="bad" word="Refused" /> {text}
        </p>
      ))}
      {notes.map(text => (
        <p key={text} className="muted">
          {text}
        </p>
      ))}
      {changes.map(one => (
        <Change key={objectTitle(one)} change={one} cluster={cluster} isOpen={isFirst && changes.length <= fewObjects} />
      ))}
    </section>
  );
}

/** An editor is made for what is unfolded only. */
function Change({ change, cluster, isOpen: isOpenFirst }: { change: PreviewedObject; cluster: string; isOpen: boolean }) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const { live, merged } = change;
  const [tone, word]: [Tone, string] = live === '' ? ['good', 'Create'] : merged === '' ? ['bad', 'Delete'] : ['info', 'Change'];
  return (
    <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <StateBadge tone={tone} word={word} /> {objectTitle(change)}
      </summary>
      {isOpen && (
        <Suspense fallback={<Loading />}>
          <DiffView before={live} after={merged} name={`Difference of ${objectTitle(change)} on ${cluster}`} />
        </Suspense>
      )}
    </details>
  );
}
