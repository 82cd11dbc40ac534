import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { servedKinds, type ServedKind } from '../data/discovery.ts';
import { seesHub } from '../data/hub-sight.ts';
import { kindKey, kinds, type Kind, type KubeObject } from '../data/kinds.ts';
import { useMay } from '../data/permissions.ts';
import { signOut } from '../data/session.ts';
import { useList } from '../data/use-list.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { peopleKinds, userPlace, userTitle, type User } from '../screens/people/people-kinds.ts';
import { screens } from '../screens/screens.ts';
import { servicePlace } from '../screens/services/service-kinds.ts';
import { go } from './place.tsx';
import { setTheme, themes, themeTitles } from './theme.ts';

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly icon: IconName;
  run(): void;
}

const mostShown = 50;

/** `mod+k`: every screen, cluster, service, user, kind and setting by a few letters. */
export function Palette({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const entries = useEntries();
  const found = useMemo(() => rank(entries, text).slice(0, mostShown), [entries, text]);
  const at = Math.min(chosen, found.length - 1);

  useEffect(() => {
    const before = document.activeElement;
    dialog.current!.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  function choose(entry: Entry | undefined): void {
    onClose();
    entry?.run();
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((at + step + found.length) % Math.max(1, found.length));
    }
    if (event.key === 'Enter') choose(found[at]);
  }

  return (
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Go anywhere, do anything"
      onCancel={event => (event.preventDefault(), onClose())}
      onKeyDown={onKeyDown}
      onClick={event => event.target === dialog.current && onClose()}
    >
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] ? `palette-${at}` : undefined}
        aria-label="Screen, cluster, service, user, kind or setting"
        placeholder="Screen, cluster, service, user, kind or setting"
        value={text}
        onChange={event => {
          setText(event.target.value);
          setChosen(0);
        }}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label="Found">
        {found.map((entry, i) => (
          <li key={entry.id} id={`palette-${i}`} role="option" aria-selected={i === at} onClick={() => choose(entry)}>
            <Icon name={entry.icon} />
            <span className="cut">{entry.title}</span>
            <span className="muted">{entry.about}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="loading">Nothing is called so.</p>}
    </dialog>
  );
}

function useEntries(): readonly Entry[] {
  const { items: clusters } = useList({ kind: kinds.cluster });
  const users = useIfOpen<User>(peopleKinds.user);
  const services = useIfOpen(kinds.multiClusterService);
  const [served, setServed] = useState<readonly ServedKind[]>([]);
  useEffect(() => {
    if (seesHub()) servedKinds().then(setServed, () => {});
  }, []);
  return useMemo(() => {
    return [
      ...screens.flatMap(({ group, home, title, icon }): Entry[] =>
        group === undefined ? [] : [{ id: `screen ${home}`, title, about: 'screen', icon, run: () => go(home) }],
      ),
      ...clusters.map(({ metadata }): Entry => {
        const name = metadata.name!;
        return {
          id: `cluster ${name}`,
          title: name,
          about: 'cluster',
          icon: 'clusters',
          run: () => go(`/clusters/${encodeURIComponent(name)}`),
        };
      }),
      ...services.map(({ metadata }): Entry => {
        const name = metadata.name!;
        return { id: `service ${name}`, title: name, about: 'service', icon: 'services', run: () => go(servicePlace(undefined, name)) };
      }),
      ...users.map((user): Entry => {
        const id = user.metadata.name!;
        return { id: `user ${id}`, title: userTitle(user, id), about: 'user', icon: 'people', run: () => go(userPlace(id)) };
      }),
      ...served.map((kind): Entry => {
        const { kind: title, group, shortNames } = kind;
        const about = ['kind', ...shortNames, group].filter(Boolean).join(' · ');
        return { id: `kind ${kindKey(kind)}`, title, about, icon: 'explore', run: () => go(`/explore/${kindKey(kind)}`) };
      }),
      ...themes.map((theme): Entry => {
        return {
          id: `theme ${theme}`,
          title: `Colours: ${themeTitles[theme]}`,
          about: 'setting',
          icon: 'theme',
          run: () => setTheme(theme),
        };
      }),
      { id: 'out', title: 'Sign out', about: 'action', icon: 'leave', run: () => void signOut() },
    ];
  }, [clusters, users, services, served]);
}

/** Nothing for those who may not see them. */
function useIfOpen<T extends KubeObject>(kind: Kind): readonly T[] {
  const may = useMay(seesHub() ? { verb: 'list', kind } : undefined);
  return useList<T>(may ? { kind } : undefined).items;
}

/** Those that have the letters in this order; the shorter and the earlier the better. */
function rank(entries: readonly Entry[], text: string): readonly Entry[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return entries;
  return entries
    .flatMap(entry => {
      const score = scoreOf(`${entry.title} ${entry.about}`.toLowerCase(), wanted);
      return score === undefined ? [] : [{ entry, score }];
    })
    .sort((a, b) => a.score - b.score)
    .map(({ entry }) => entry);
}

function scoreOf(text: string, wanted: string): number | undefined {
  const whole = text.indexOf(wanted);
  if (whole >= 0) return whole + text.length / 100;
  let at = -1;
  let gaps = 0;
  for (const letter of wanted.replaceAll(' ', '')) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    gaps += next - at - 1;
    at = next;
  }
  return 100 + gaps;
}
