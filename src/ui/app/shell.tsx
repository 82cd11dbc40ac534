import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Route, useLocation, useRouter } from 'wouter';
import { signOut, useSession } from '../data/session.ts';
import { getConnection, reconnect, subscribeConnection } from '../data/streams.ts';
import icon from '../icon.svg';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Empty } from '../parts/notes.tsx';
import { Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { screenGroups, screens } from '../screens/screens.ts';
import { findScreen } from './find-screen.ts';
import { Palette } from './palette.tsx';
import { go, PlaceLink } from './place.tsx';
import { ScopeChooser } from './scope.tsx';
import { ScreenFault } from './screen-fault.tsx';
import { keysOf } from './key-actions.ts';
import { useKeyChoices } from './key-choices.ts';
import { KeysDialog, KeysHelp } from './keys-dialog.tsx';
import { Keys, useShortcut } from './shortcuts.tsx';
import { setTheme, themes, themeTitles, useTheme } from './theme.ts';

/** Everything around a screen. */
export function Shell() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [path] = useLocation();
  const found = findScreen(useRouter().parser, path);
  const main = useScrolled(path, found?.subject ?? '');
  const paletteKeys = keysOf('palette', useKeyChoices());
  useShortcut('palette', () => setPaletteOpen(true));
  return (
    <div className="shell">
      <a className="skip" href="#main" onClick={event => (event.preventDefault(), main.current?.focus())}>
        Skip to the content
      </a>
      <header className="top">
        <PlaceLink to="/" className="brand">
          <img src={icon} alt="" />
          <span className="word">Drover</span>
        </PlaceLink>
        <button type="button" className="search-button" onClick={() => setPaletteOpen(true)}>
          <Icon name="search" />
          <span className="grow cut word">Go to…</span>
          {paletteKeys !== '' && (
            <span className="word">
              <Keys keys={paletteKeys} />
            </span>
          )}
        </button>
        <div className="top-end">
          <ScopeChooser />
          <ThemeMenu />
          <PersonMenu />
        </div>
      </header>
      <Side path={path} />
      <main className="main" id="main" ref={main} tabIndex={-1} aria-labelledby="screen-title">
        <StaleBanner />
        <ScreenFault key={found?.subject} place={path}>
          {found ? (
            <Route path={found.screen.path}>
              <found.screen.Screen />
            </Route>
          ) : (
            <Page title="There is no such screen">
              <Empty title="Nothing is at this address">The list at the side has all screens, and Go to… finds clusters and kinds.</Empty>
            </Page>
          )}
        </ScreenFault>
      </main>
      {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
      <KeysHelp />
    </div>
  );
}

/** Each part of a screen stays where it was scrolled to; another screen begins at its top, and has the focus if nothing else has it. */
function useScrolled(path: string, subject: string) {
  const main = useRef<HTMLElement>(null);
  const last = useRef({ subject, tops: new Map<string, number>() });
  useLayoutEffect(() => {
    const box = main.current!;
    const isOther = last.current.subject !== subject;
    if (isOther) last.current = { subject, tops: new Map() };
    const { tops } = last.current;
    box.scrollTop = tops.get(path) ?? 0;
    if (isOther && (document.activeElement === document.body || document.activeElement === null)) box.focus({ preventScroll: true });
    const onScroll = () => void tops.set(path, box.scrollTop);
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => box.removeEventListener('scroll', onScroll);
  }, [path, subject]);
  return main;
}

function Side({ path }: { path: string }) {
  useShortcut('runs', () => go('/workflows/runs'));
  const shown = screens.filter(one => one.group !== undefined);
  const current = shown
    .filter(one => path === one.home || path.startsWith(`${one.home === '/' ? '' : one.home}/`))
    .toSorted((a, b) => b.home.length - a.home.length)[0];
  return (
    <nav className="side" aria-label="Screens">
      {screenGroups.map(group => {
        const members = shown.filter(one => one.group === group);
        if (members.length === 0) return null;
        return (
          <div key={group}>
            {group !== '' && <h2>{group}</h2>}
            <ul>
              {members.map(one => (
                <li key={one.home}>
                  <SideLink screen={one} isCurrent={one === current} />
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

function SideLink({ screen, isCurrent }: { screen: (typeof screens)[number]; isCurrent: boolean }) {
  useShortcut(screen.keys, () => go(screen.home));
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // Where there is little room the list is one line, of which a part is in sight.
    if (isCurrent) place.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isCurrent]);
  return (
    <PlaceLink to={screen.home} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={screen.icon} />
      <span ref={place}>{screen.title}</span>
    </PlaceLink>
  );
}

function ThemeMenu() {
  const theme = useTheme();
  const items = themes.map(one => ({ id: one, title: themeTitles[one], isOn: one === theme, onChoose: () => setTheme(one) }));
  return <Menu label="Colours" icon="theme" isIconOnly items={items} />;
}

function PersonMenu() {
  const session = useSession();
  const name = session.state === 'in' ? session.person.name : '';
  const [isKeys, setKeys] = useState(false);
  return (
    <>
      <Menu
        label={name}
        icon="people"
        items={[
          { id: 'tokens', title: 'Tokens', icon: 'people', onChoose: () => go('/people/tokens') },
          { id: 'keys', title: 'Keys', icon: 'keyboard', onChoose: () => setKeys(true) },
          { id: 'out', title: 'Sign out', icon: 'leave', onChoose: () => void signOut() },
        ]}
      />
      {isKeys && <KeysDialog onClose={() => setKeys(false)} />}
    </>
  );
}

const bearableMs = 10_000;

/** Says so when what is shown may not be true any more. */
function StaleBanner() {
  const connection = useSyncExternalStore(subscribeConnection, getConnection);
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (connection.isOpen) return;
    const timer = setTimeout(() => setLong(true), Math.max(0, connection.since + bearableMs - Date.now()));
    return () => clearTimeout(timer);
  }, [connection]);
  if (connection.isOpen || !isLong) return null;
  return (
    <div className="banner" role="alert">
      <Icon name="warn" />
      <span className="grow">
        The hub does not answer. What you see is as of <Time at={connection.since} isAgo />.
      </span>
      <button type="button" className="button" onClick={reconnect}>
        Try now
      </button>
    </div>
  );
}
