import type { Cluster } from '../../../api/cluster.ts';
import { PlaceLink } from '../../app/place.tsx';
import { judgeObject, StateBadge, type Tone } from '../../parts/state-badge.tsx';

/** More squares than these say less than a bar. */
const mostSquares = 400;
const order: readonly Tone[] = ['bad', 'warn', 'info', 'idle', 'good'];
const titles: Record<Tone, string> = { good: 'Ready', warn: 'Uncertain', bad: 'Not ready', info: 'On the way', idle: 'Not known' };

/** The clusters by how they are, the worst first: a bar, and a square for each while they are few enough to be found. */
export function FleetPicture({ clusters }: { clusters: readonly Cluster[] }) {
  const judged = clusters
    .map(one => ({ name: one.metadata.name!, ...judgeObject(one) }))
    .sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone) || (a.name < b.name ? -1 : 1));
  const counts = order.map(tone => ({ tone, count: judged.filter(one => one.tone === tone).length })).filter(one => one.count > 0);
  return (
    <section className="card stack tight" aria-labelledby="fleet">
      <h2 id="fleet">Fleet by health</h2>
      <div className="fleet-bar" aria-hidden="true">
        {counts.map(({ tone, count }) => (
          <span key={tone} className={tone} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul className="row">
        {counts.map(({ tone, count }) => (
          <li key={tone} className="row">
            <StateBadge tone={tone} word={titles[tone]} /> <strong className="number">{count.toLocaleString()}</strong>
          </li>
        ))}
      </ul>
      {judged.length <= mostSquares && (
        <ul className="fleet-squares">
          {judged.map(({ name, tone, word, why }) => (
            <li key={name}>
              <PlaceLink to={`/clusters/${encodeURIComponent(name)}`} className={tone} title={`${name}: ${why ?? word}`}>
                <span className="unseen">
                  {name}: {word}
                </span>
              </PlaceLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
