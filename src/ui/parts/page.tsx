import { useEffect, type ReactNode } from 'react';
import { PlaceLink } from '../app/place.tsx';

interface PageProps {
  readonly title: string;
  /** Where this is: the screens above it. */
  readonly above?: readonly { readonly title: string; readonly to: string }[];
  /** Beside the title: a state, say. */
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
  /** Whether the content fills the window and scrolls itself, as tables do. */
  readonly isFilled?: boolean;
  readonly children: ReactNode;
}

/** The frame of a screen. */
export function Page({ title, above = [], beside, actions, isFilled = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Drover`;
  }, [title]);
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
            <h1>{title}</h1>
            {beside}
          </div>
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Parts of a screen, each with an address. */
export function Tabs({
  tabs,
  current,
  base,
}: {
  tabs: readonly { readonly id: string; readonly title: string }[];
  current: string;
  base: string;
}) {
  return (
    <nav className="tabs" aria-label="Parts">
      {tabs.map(({ id, title }) => (
        <PlaceLink key={id} to={id === '' ? base : `${base}/${id}`} aria-current={id === current ? 'page' : undefined}>
          <span data-title={title}>{title}</span>
        </PlaceLink>
      ))}
    </nav>
  );
}
