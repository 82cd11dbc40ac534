import type { Cluster } from '../../../api/cluster.ts';
import { kinds } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { Page } from '../../parts/page.tsx';
import { judgeObject, type Tone } from '../../parts/state-badge.tsx';

/** How the fleet is at a glance. */
export function Home() {
  const { items } = useList<Cluster>({ kind: kinds.cluster });
  const tones = items.map(one => judgeObject(one).tone);
  const count = (...wanted: Tone[]) => tones.filter(tone => wanted.includes(tone)).length;
  return (
    <Page title="Home">
      <div className="cards">
        <div className="card">
          <p className="muted">Clusters</p>
          <p className="figure">{items.length}</p>
        </div>
        <div className="card">
          <p className="muted">Ready</p>
          <p className="figure">{count('good')}</p>
        </div>
        <div className="card">
          <p className="muted">Not ready</p>
          <p className="figure">{count('bad', 'warn')}</p>
        </div>
      </div>
    </Page>
  );
}
