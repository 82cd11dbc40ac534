import type { Settings } from '../clusters/settings.ts';
import type { TokenKind } from './token-desk.ts';

const minuteMs = 60_000;

/**
 * How long a new token lives, in milliseconds; 0 is for ever. Sessions last as long as the setting says, whatever is asked for; other tokens at most as long as
 * theirs says. What stands in kubeconfigs always ends.
 */
export function tokenTtlMs(kind: TokenKind, wantedMs: number | undefined, settings: Pick<Settings, 'number'>): number {
  const minutes = (name: string) => settings.number(name) * minuteMs;
  if (kind === 'session') return minutes('auth-user-session-ttl-minutes');
  if (kind === 'kubeconfig') {
    const byDefault = minutes('kubeconfig-default-token-ttl-minutes') || 30 * 24 * 60 * minuteMs;
    return capped(wantedMs ?? byDefault, minutes('kubeconfig-max-token-ttl-minutes')) || byDefault;
  }
  return capped(wantedMs ?? minutes('auth-token-default-ttl-minutes'), minutes('auth-token-max-ttl-minutes'));
}

/** Both 0 for endless. */
function capped(ttlMs: number, maxMs: number): number {
  const wanted = Math.max(0, Math.floor(ttlMs));
  if (maxMs === 0) return wanted;
  return wanted === 0 ? maxMs : Math.min(wanted, maxMs);
}
