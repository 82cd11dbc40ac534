import { useMemo } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import { PlaceLink } from '../../app/place.tsx';
import { useScope } from '../../app/scope.tsx';
import { kinds, objectPlace, type Kind, type KubeObject } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { Loading } from '../../parts/notes.tsx';
import { judgeObject, StateBadge, words, type Tone } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { judgeService } from '../services/judge-service.ts';
import { keyOf, placeOf, type MultiClusterService } from '../services/service-kinds.ts';

interface Matter {
  readonly id: string;
  readonly what: string;
  readonly place: string;
  readonly tone: Tone;
  readonly word: string;
  readonly why: string | undefined;
  readonly since: string | undefined;
}

const approval: Kind = {
  group: 'delivery.drover.io',
  version: 'v1alpha1',
  kind: 'ApprovalRequest',
  plural: 'approvalrequests',
  isNamespaced: true,
};
const mostShown = 12;
/** Works that need somebody say why in a word; of all others nothing is asked. */
const inTrouble = 'status.trouble!=';

interface NeedsAPersonProps {
  readonly clusters: readonly Cluster[];
  readonly services: readonly MultiClusterService[];
  /** Whether clusters may still be on their way. */
  readonly isLoading: boolean;
}

/** What does not get better by itself: clusters that are lost, services that are stuck, deliveries that fail or are not healthy, approvals that are waited for. */
export function NeedsAPerson({ clusters, services, isLoading }: NeedsAPersonProps) {
  const approvals = useList({ kind: approval });
  const works = useList<Work>({ kind: kinds.work, fieldSelector: inTrouble });
  const scope = useScope();
  const matters = useMemo(() => {
    const names = new Map(clusters.map(one => [one.status?.id, one.metadata.name]));
    const seen = works.items.filter(one => scope.clusters.length === 0 || names.has(one.metadata.namespace));
    return [
      ...approvals.items.filter(isOpen).map(one => matterOf(one, approval, 'Approval')),
      ...clusters.filter(isAmiss).map(one => ({
        ...matterOf(one, kinds.cluster, 'Cluster'),
        place: `/clusters/${encodeURIComponent(one.metadata.name!)}`,
      })),
      ...services
        .map(one => ({
          ...matterOf(one, kinds.multiClusterService, `Service`),
          ...judgeService(one),
          what: `Service ${keyOf(one)}`,
          place: placeOf(one),
        }))
        .filter(({ tone }) => badTones.has(tone)),
      ...seen.map(one => {
        const matter = matterOf(one, kinds.work, 'Work');
        const what = `${matter.what} on ${names.get(one.metadata.namespace) ?? one.metadata.namespace}`;
        return { ...matter, what, tone: 'bad' as const, word: words(one.status?.trouble ?? '') };
      }),
    ];
  }, [clusters, services, approvals.items, works.items, scope]);
  const isKnown = !isLoading && approvals.state !== 'loading' && works.state !== 'loading';
  return (
    <section className="card stack tight" aria-labelledby="needs">
      <h2 id="needs">What needs a person</h2>
      {matters.length === 0 && !isKnown && <Loading />}
      {matters.length === 0 && isKnown && (
        <p className="muted">Nothing. Everything that the hub looks after is as it should be, or on its way there.</p>
      )}
      <ul className="matters">
        {matters.slice(0, mostShown).map(({ id, what, place, tone, word, why, since }) => (
          <li key={id}>
            <StateBadge tone={tone} word={word} />
            <span>
              <PlaceLink to={place}>{what}</PlaceLink> {why && <span className="muted">{why}</span>}
            </span>
            <Time at={since} isAgo />
          </li>
        ))}
      </ul>
      {matters.length > mostShown && (
        <p>
          and {matters.length - mostShown} more: <PlaceLink to="/clusters?sort=state">clusters by state</PlaceLink>
        </p>
      )}
    </section>
  );
}

const badTones: ReadonlySet<Tone> = new Set(['bad', 'warn']);
const isAmiss = (one: KubeObject) => badTones.has(judgeObject(one).tone);

function isOpen(one: KubeObject): boolean {
  const { phase = 'Pending' } = (one['status'] ?? {}) as { phase?: string };
  return phase === 'Pending';
}

function matterOf(one: KubeObject, kind: Kind, title: string): Matter {
  const { tone, word, why } = judgeObject(one);
  const { conditions = [] } = (one['status'] ?? {}) as { conditions?: { type: string; lastTransitionTime?: string }[] };
  const since = conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? one.metadata.creationTimestamp;
  const isAsked = kind === approval;
  return {
    id: `${title} ${one.metadata.uid ?? ''}`,
    what: `${title} ${one.metadata.name ?? ''}`,
    place: objectPlace(kind, one.metadata),
    tone: isAsked ? 'info' : tone,
    word: isAsked ? 'Waits for you' : word,
    why,
    since,
  };
}
