import type { Token } from '../people-kinds.ts';

/** A token as `/v3/tokens` shows it to whom it belongs. */
export interface OwnToken {
  readonly id: string;
  readonly userId: string;
  readonly description?: string | null;
  readonly clusterId?: string | null;
  readonly created?: string;
  readonly lastUsedAt?: string | null;
  /** Empty when it does not end. */
  readonly expiresAt?: string;
  readonly enabled?: boolean;
  readonly current?: boolean;
  readonly labels?: Readonly<Record<string, string>> | null;
}

export interface TokenRow {
  readonly id: string;
  readonly userId: string;
  readonly description: string;
  readonly kind: string;
  /** The only cluster that it is good for. */
  readonly clusterId: string | undefined;
  readonly madeAt: string | undefined;
  readonly usedAt: string | undefined;
  readonly expiresAt: string | undefined;
  readonly isEnabled: boolean;
  /** Whether it is the one that this page is signed in with. */
  readonly isCurrent: boolean;
  readonly isOwn: boolean;
}

const kindLabel = 'authn.management.cattle.io/kind';
const kindTitles: Readonly<Record<string, string>> = { session: 'Session', kubeconfig: 'Kubeconfig' };

const kindTitle = (labels: Readonly<Record<string, string>> | null | undefined): string =>
  kindTitles[labels?.[kindLabel] ?? ''] ?? 'API key';

const ownRow = (one: OwnToken): TokenRow => ({
  id: one.id,
  userId: one.userId,
  description: one.description ?? '',
  kind: kindTitle(one.labels),
  clusterId: one.clusterId || undefined,
  madeAt: one.created,
  usedAt: one.lastUsedAt || undefined,
  expiresAt: one.expiresAt || undefined,
  isEnabled: one.enabled !== false,
  isCurrent: one.current === true,
  isOwn: true,
});

/** One row for each: those that the hub lists, and which of them are of whoever looks; without a list of the hub, the own ones. */
export function tokenRows(own: readonly OwnToken[], all: readonly Token[] | undefined, me: string | undefined): readonly TokenRow[] {
  if (!all) return own.map(ownRow);
  const current = new Set(own.filter(one => one.current).map(one => one.id));
  return all.map(token => ({
    id: token.metadata.name ?? '',
    userId: token.userId,
    description: token.description ?? '',
    kind: kindTitle(token.metadata.labels),
    clusterId: token.clusterName || undefined,
    madeAt: token.metadata.creationTimestamp,
    usedAt: token.lastUsedAt || undefined,
    expiresAt: endOf(token),
    isEnabled: token.enabled !== false,
    isCurrent: current.has(token.metadata.name ?? ''),
    isOwn: token.userId === me,
  }));
}

/** The earlier of both, as the hub judges it. */
function endOf({ metadata, ttl = 0, expiresAt }: Token): string | undefined {
  const byTtl = ttl > 0 ? Date.parse(metadata.creationTimestamp ?? '') + ttl : Infinity;
  const end = Math.min(byTtl, expiresAt ? Date.parse(expiresAt) : Infinity);
  return Number.isFinite(end) ? new Date(end).toISOString() : undefined;
}

export function tokenState({ isEnabled, expiresAt }: TokenRow, nowMs: number): { tone: 'good' | 'idle'; word: string } {
  if (!isEnabled) return { tone: 'idle', word: 'Disabled' };
  return expiresAt !== undefined && Date.parse(expiresAt) <= nowMs ? { tone: 'idle', word: 'Expired' } : { tone: 'good', word: 'Good' };
}
