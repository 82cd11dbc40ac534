import { useSyncExternalStore } from 'react';
import { beginClusterSight, forgetClusters } from './cluster-sight.ts';
import { setHubSight } from './hub-sight.ts';
import { forgetPermissions } from './permissions.ts';
import { ApiError, onSignedOut, request } from './request.ts';
import { closeStreams } from './streams.ts';
import { forgetLists } from './watched-list.ts';

export interface Person {
  readonly id: string;
  /** What he signs in with. */
  readonly username: string;
  readonly name: string;
}

export type Session =
  | { readonly state: 'unknown' }
  | { readonly state: 'out'; readonly why?: string }
  | { readonly state: 'in'; readonly person: Person }
  | { readonly state: 'failed'; readonly error: ApiError };

let session: Session = { state: 'unknown' };
const listeners = new Set<() => void>();

export const useSession = (): Session => useSyncExternalStore(subscribe, () => session);

/** Who is signed in. */
export const getPerson = (): Person | undefined => (session.state === 'in' ? session.person : undefined);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

/** Finds out who is signed in; takes the code of a one-time link first, which is gone from the address at once. */
export async function beginSession(): Promise<void> {
  const code = takeCode();
  try {
    if (code !== undefined) await signInWith('linkProviders/link', { code });
  } catch {
    // Used already, or too old: whoever is signed in stays, others sign in.
    if (!(await look())) set({ state: 'out', why: 'The link has been used already or is too old.' });
    return;
  }
  await look();
}

function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}

async function look(): Promise<boolean> {
  try {
    const [{ data }, local] = await Promise.all([
      request<{ data: { id: string; username?: string; name?: string }[] }>('/v3/users?me=true'),
      request<{ data: unknown[] }>('/v3/clusters?id=local'),
    ]);
    const me = data[0];
    if (!me) throw new ApiError(401, 'nobody is signed in');
    const username = me.username ?? me.id;
    setHubSight(local.data.length > 0);
    beginClusterSight();
    set({ state: 'in', person: { id: me.id, username, name: me.name || username } });
    return true;
  } catch (error) {
    const apiError = error instanceof ApiError ? error : new ApiError(0, String(error));
    set(apiError.code === 401 ? { state: 'out' } : { state: 'failed', error: apiError });
    return false;
  }
}

export async function signIn(username: string, password: string): Promise<void> {
  await signInWith('localProviders/local', { username, password });
  await look();
}

async function signInWith(provider: string, body: object): Promise<void> {
  await request(`/v3-public/${provider}?action=login`, {
    method: 'POST',
    body: { ...body, responseType: 'cookie', description: 'Web page' },
  });
}

const lastDeeds = new Set<() => Promise<unknown>>();

/** Does it before somebody signs out, as long as they still may. */
export function beforeSignOut(deed: () => Promise<unknown>): () => void {
  lastDeeds.add(deed);
  return () => lastDeeds.delete(deed);
}

export async function signOut(): Promise<void> {
  await Promise.allSettled([...lastDeeds].map(deed => deed()));
  await request('/v3/tokens?action=logout', { method: 'POST', body: {} }).catch(() => {});
  leave();
}

function leave(why?: string): void {
  closeStreams();
  forgetLists();
  forgetPermissions();
  forgetClusters();
  set({ state: 'out', ...(why !== undefined && { why }) });
}

onSignedOut(() => {
  if (session.state === 'in') leave('Your session has ended.');
});
