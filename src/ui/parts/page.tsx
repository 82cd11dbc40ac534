import { useEffect, useState, type ReactNode } from 'react';
import { useRouter, useSearch } from 'wouter';
import { goBack } from '../app/go-back.ts';
import { PlaceLink, withoutScope } from '../app/place.tsx';
import { useShortcut } from '../app/shortcuts.tsx';
import { isolated } from './isolated.ts';

interface PageProps {
  readonly title: string;
  /** Where this is: the screens above it. */
  readonly above?: readonly { readonly title: string; readonly to: string }[];
  /** The screen above it where that is not the last of these. */
  readonly back?: string;
  /** Beside the title: a state, say. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  /** Whether the content fills the window and scrolls itself, as tables do. */
  readonly isFilled?: boolean;
  readonly children: ReactNode;
}

/** The frame of a screen. */
export function Page({ title, above = [], back, beside, actions, isFilled = false, children }: PageProps) {
  const { parser } = useRouter();
  useEffect(() => {
    document.title = `${isolated(title)} · Drover`;
  }, [title]);
  useShortcut(above.length > 0 ? 'back' : undefined, () => goBack(parser, back ?? above.at(-1)!.to));
  return (
    <div className={`page ${isFilled ? 'fill' : ''}`}>
      <header className="page-head">
        <div>
          {above.length > 0 && (
            <nav className="crumbs" aria-label="Above">
              {above.map(({ title, to }) => (
                <span key={to}>
                  <PlaceLink to={to}>{title}</PlaceLink> /{' '}
                </span>
              ))}
            </nav>
          )}
          <div className="row">
            <h1 id="screen-title">
              <bdi>{title}</bdi>
            </h1>
            {beside && <span role="status">{beside}</span>}
          </div>
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Parts of a screen, each with an address: whoever comes back to one finds what was sorted and searched there. */
export function Tabs({
  tabs,
  current,
  base,
}: {
  tabs: readonly { readonly id: string; readonly title: string }[];
  current: string;
  base: string;
}) {
  const query = withoutScope(useSearch());
  const [left, setLeft] = useState<Readonly<Record<string, string>>>({});
  if ((left[current] ?? '') !== query) setLeft({ ...left, [current]: query });
  const placeOf = (id: string) => [id === '' ? base : `${base}/${id}`, left[id]].filter(Boolean).join('?');
  return (
    <nav className="tabs" aria-label="Parts">
      {tabs.map(({ id, title }) => (
        <PlaceLink key={id} to={placeOf(id)} aria-current={id === current ? 'page' : undefined}>
          <span data-title={title}>{title}</span>
        </PlaceLink>
      ))}
    </nav>
  );
}
