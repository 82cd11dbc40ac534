import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { actionOf, conflictsOf, keyActionIds, keysOf, nameOfKey, withKeys, type KeyActionId, type KeyChoices } from './key-actions.ts';
import { setKeyChoices, useKeyChoices } from './key-choices.ts';
import { Keys, longestPauseMs, presentActions, useShortcut } from './shortcuts.tsx';

/** What the keys do, and the way to other keys. */
export function KeysHelp() {
  const [isOpen, setOpen] = useState(false);
  useShortcut('keys', () => setOpen(true));
  return isOpen ? <KeysDialog onClose={() => setOpen(false)} /> : null;
}

const everywhere = 'Everywhere';

export function KeysDialog({ onClose }: { onClose(): void }) {
  const choices = useKeyChoices();
  const [changing, setChanging] = useState<KeyActionId>();
  const [present] = useState(presentActions);
  const places = Map.groupBy(keyActionIds, id => actionOf(id).where ?? everywhere);
  const close = useRef<HTMLButtonElement>(null);
  const done = () => {
    setChanging(undefined);
    close.current?.focus();
  };
  return (
    <Dialog title="Keys" onClose={onClose}>
      <p className="muted">
        They work outside of fields. Yours are kept in this browser; arrows, Enter, Tab and Esc stay what they are everywhere.
      </p>
      {[...places].map(([place, ids]) => (
        <section key={place} aria-label={place} className="stack tight">
          <div className="row">
            <h3>{place}</h3>
            {!ids.some(id => present.has(id)) && <span className="muted">not on this screen</span>}
          </div>
          <ul className="key-list">
            {ids.map(id => (
              <li key={id}>
                <span>{actionOf(id).title}</span>
                {changing === id ? (
                  <NewKeys id={id} choices={choices} onDone={done} />
                ) : (
                  <KeyRow id={id} choices={choices} onChange={() => setChanging(id)} />
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div className="dialog-end">
        {Object.keys(choices).length > 0 && (
          <button type="button" className="button" onClick={() => setKeyChoices({})}>
            The usual keys for all
          </button>
        )}
        <button ref={close} type="button" className="button" data-first onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function KeyRow({ id, choices, onChange }: { id: KeyActionId; choices: KeyChoices; onChange(): void }) {
  const { title } = actionOf(id);
  const keys = keysOf(id, choices);
  const conflicts = conflictsOf(id, keys, choices);
  const isOwn = choices[id] !== undefined;
  return (
    <>
      <span>
        <Keys keys={keys} />
        {conflicts.length > 0 && <Conflict with={conflicts} />}
      </span>
      <span className="row nowrap">
        {isOwn && (
          <button
            type="button"
            className="button bare"
            aria-label={`Reset: ${title}`}
            onClick={() => setKeyChoices(withKeys(choices, id, undefined))}
          >
            Reset
          </button>
        )}
        {!isOwn && keys !== '' && (
          <button
            type="button"
            className="button bare"
            aria-label={`Turn off: ${title}`}
            onClick={() => setKeyChoices(withKeys(choices, id, ''))}
          >
            Turn off
          </button>
        )}
        <button type="button" className="button" aria-label={`Change: ${title}`} onClick={onChange}>
          Change
        </button>
      </span>
    </>
  );
}

const Conflict = ({ with: ids }: { with: readonly KeyActionId[] }) => (
  <span className="state warn">
    <Icon name="warn" size={13} />
    also: {ids.map(id => actionOf(id).title).join(', ')}
  </span>
);

/** Listens for one key, or for two, one after the other. */
function NewKeys({ id, choices, onDone }: { id: KeyActionId; choices: KeyChoices; onDone(): void }) {
  const [pressed, setPressed] = useState('');
  const [conflicts, setConflicts] = useState<readonly KeyActionId[]>([]);
  const place = useRef<HTMLButtonElement>(null);
  useEffect(() => place.current?.focus(), []);
  useEffect(() => {
    if (pressed === '' || conflicts.length > 0) return;
    const timer = setTimeout(() => settle(pressed), pressed.includes(' ') ? 0 : longestPauseMs);
    return () => clearTimeout(timer);
  });

  function settle(keys: string): void {
    const found = conflictsOf(id, keys, choices);
    if (found.length > 0) return setConflicts(found);
    setKeyChoices(withKeys(choices, id, keys));
    onDone();
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Tab') return;
    event.preventDefault();
    if (event.key === 'Escape') return onDone();
    if (event.key === 'Enter' && pressed !== '') return settle(pressed);
    const key = nameOfKey(event.nativeEvent);
    if (key !== undefined) setPressed(pressed === '' || conflicts.length > 0 ? key : `${pressed} ${key}`);
    setConflicts([]);
  }

  function takeOver(): void {
    const without = conflicts.reduce((rest, other) => withKeys(rest, other, ''), choices);
    setKeyChoices(withKeys(without, id, pressed));
    onDone();
  }

  return (
    <>
      <span className="stack tight">
        <button ref={place} type="button" className="button listening" onKeyDown={onKeyDown} aria-describedby={`hint-${id}`}>
          {pressed === '' ? 'Press one or two keys' : <Keys keys={pressed} />}
        </button>
        <span id={`hint-${id}`} className="muted" role="status">
          {conflicts.length > 0 ? <Conflict with={conflicts} /> : 'Esc leaves it as it is'}
        </span>
      </span>
      <span className="row nowrap">
        {conflicts.length > 0 && (
          <button type="button" className="button" onClick={takeOver}>
            Take them from there
          </button>
        )}
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      </span>
    </>
  );
}
