import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly id: string;
  readonly title: string;
  readonly icon?: IconName;
  readonly isDanger?: boolean;
  /** For items that are on or off; the menu stays open. */
  readonly isOn?: boolean;
  onChoose(): void;
}

interface MenuProps {
  /** What the button says. */
  readonly label: string;
  readonly icon: IconName;
  readonly isIconOnly?: boolean;
  /** Asked for when the menu opens where they are not known before. */
  readonly items: readonly MenuItem[] | (() => Promise<readonly MenuItem[]>);
  readonly isOpenAtFirst?: boolean;
  readonly children?: ReactNode;
}

const asking: MenuItem = { id: 'asking', title: 'Asking what is possible…', onChoose: () => {} };
const nothing: MenuItem = { id: 'nothing', title: 'Nothing that you may do', onChoose: () => {} };

/** A button that opens a list of deeds. Arrows move, Enter chooses, Escape closes. */
export function Menu({ label, icon, isIconOnly = false, items, isOpenAtFirst = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [loaded, setLoaded] = useState<readonly MenuItem[]>();
  const shown = typeof items === 'function' ? (loaded ?? [asking]) : items;
  const isKnown = typeof items !== 'function' || loaded !== undefined;

  function open(): void {
    setOpen(!isOpen);
    if (isOpen || typeof items !== 'function') return;
    setLoaded(undefined);
    items().then(
      found => setLoaded(found.length === 0 ? [nothing] : found),
      () => setLoaded([nothing]),
    );
  }

  useEffect(() => {
    const menu = list.current;
    if (!isOpen || !menu) return;
    menu.showPopover();
    const at = button.current!.getBoundingClientRect();
    const isLow = at.bottom + menu.offsetHeight + 8 > innerHeight && at.top > menu.offsetHeight;
    menu.style.top = `${isLow ? at.top - menu.offsetHeight - 4 : at.bottom + 4}px`;
    menu.style.left = `${Math.max(8, Math.min(at.left, innerWidth - menu.offsetWidth - 8))}px`;
    itemsOf(menu)[0]?.focus();
  }, [isOpen, isKnown]);

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    const all = itemsOf(list.current!);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      all.at(to % all.length)?.focus();
    }
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      close();
    }
  }

  return (
    <span className="menu-place">
      <button
        ref={button}
        type="button"
        className={`button ${isIconOnly ? 'bare icon-only' : ''}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={isIconOnly ? label : undefined}
        title={isIconOnly ? label : undefined}
        onClick={open}
      >
        <Icon name={icon} />
        {!isIconOnly && <span className="word">{label}</span>}
        {children}
      </button>
      {isOpen && (
        <div
          ref={list}
          popover="auto"
          role="menu"
          aria-label={label}
          className="menu"
          onKeyDown={onKeyDown}
          onToggle={event => event.newState === 'closed' && setOpen(false)}
        >
          {shown.map(({ id, title, icon: itemIcon, isDanger, isOn, onChoose }) => (
            <button
              key={id}
              type="button"
              tabIndex={-1}
              role={isOn === undefined ? 'menuitem' : 'menuitemcheckbox'}
              aria-checked={isOn}
              className={isDanger ? 'danger' : ''}
              onClick={() => {
                if (isOn === undefined) close();
                onChoose();
              }}
            >
              {isOn !== undefined && <Icon name={isOn ? 'good' : 'idle'} />}
              {itemIcon && <Icon name={itemIcon} />}
              {title}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}

const itemsOf = (menu: HTMLElement): HTMLElement[] => [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
