import type { ComponentProps } from 'react';
import { Link, useSearchParams } from 'wouter';

/* Where one is: the path names the screen and the object, the query the rest. Whoever is given an address sees what the giver saw. */

/** What goes along from screen to screen. */
const carried = ['cluster', 'ns'] as const;

/** A link to another screen that keeps the scope. */
export function PlaceLink({ to, ...props }: { to: string } & Omit<ComponentProps<'a'>, 'href' | 'ref'>) {
  const [query] = useSearchParams();
  return <Link href={withScope(to, query)} {...props} />;
}

export function withScope(to: string, query: URLSearchParams): string {
  const [path = '', own = ''] = to.split('?');
  const next = new URLSearchParams(own);
  for (const name of carried) if (!next.has(name)) for (const value of query.getAll(name)) next.append(name, value);
  const text = next.toString();
  return text === '' ? path : `${path}?${text}`;
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
