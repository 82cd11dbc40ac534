import type { ReactNode, RefObject } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';

interface ConsoleBarProps {
  readonly isOpen: boolean;
  readonly ended?: string | undefined;
  readonly again: RefObject<HTMLButtonElement | null>;
  onAgain(): void;
  readonly children?: ReactNode;
}

/** How a console stands, and what can be done about it. */
export function ConsoleBar({ isOpen, ended, again, onAgain, children }: ConsoleBarProps) {
  return (
    <div className="row">
      <span role="status" className="row">
        {isOpen && <StateBadge tone="good" word="Connected" />}
        {!isOpen && ended === undefined && <StateBadge tone="info" word="Connecting" isBusy />}
        {!isOpen && ended !== undefined && (
          <>
            <StateBadge tone="idle" word="Ended" /> {ended}
          </>
        )}
      </span>
      <button type="button" className="button" ref={again} onClick={onAgain}>
        <Icon name="refresh" />
        Open again
      </button>
      {children}
    </div>
  );
}
