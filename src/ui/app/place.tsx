import type { ComponentProps, MouseEvent, SyntheticEvent } from 'react';
import { useSearchParams } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

/* Where one is: the path names the screen and the object, the query the rest. Whoever is given an address sees what the giver saw. */

/** What goes along from screen to screen. */
const carried = ['cluster', 'ns'] as const;

/** Where the page is served. */
export const base = '/ui';

let parsed = { text: '', query: new URLSearchParams() };

function addressOf(to: string): string {
  const text = location.search;
  if (text !== parsed.text) parsed = { text, query: new URLSearchParams(text) };
  return base + withScope(to, parsed.query);
}

/** Goes to another screen and keeps the scope. */
export const go = (to: string): void => navigate(addressOf(to));

/** A link to another screen that keeps the scope. It listens to nothing, for tables have many; the scope is looked up when somebody is about to use it. */
export function PlaceLink({ to, ...props }: { to: string } & Omit<ComponentProps<'a'>, 'href' | 'ref'>) {
  const refresh = ({ currentTarget }: SyntheticEvent<HTMLAnchorElement>) => {
    currentTarget.href = addressOf(to);
  };
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return <a {...props} href={addressOf(to)} onPointerDown={refresh} onFocus={refresh} onClick={follow} />;
}

export function withScope(to: string, query: URLSearchParams): string {
  if (!carried.some(name => query.has(name))) return to;
  const [path = '', own = ''] = to.split('?');
  const next = new URLSearchParams(own);
  for (const name of carried) if (!next.has(name)) for (const value of query.getAll(name)) next.append(name, value);
  const text = next.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** What an address says beside the scope. */
export function withoutScope(search: string): string {
  const query = new URLSearchParams(search);
  for (const name of carried) query.delete(name);
  return query.toString();
}

/** A value that lives in the address. Empty when absent. */
export function useUrlValue(name: string): [string, (value: string) => void] {
  const [query, setQuery] = useSearchParams();
  const set = (value: string) =>
    setQuery(
      before => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return [query.get(name) ?? '', set];
}

/** The same for several values under one name. */
export function useUrlValues(name: string): [readonly string[], (values: readonly string[]) => void] {
  const [query, setQuery] = useSearchParams();
  const set = (values: readonly string[]) =>
    setQuery(
      before => {
        const next = new URLSearchParams(before);
        next.delete(name);
        for (const value of values) next.append(name, value);
        return next;
      },
      { replace: true },
    );
  return [query.getAll(name), set];
}
