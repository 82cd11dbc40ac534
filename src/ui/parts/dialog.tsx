import { useEffect, useId, useRef, type ReactNode, type SyntheticEvent } from 'react';
import { createPortal } from 'react-dom';

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

/** In an editor Escape gives the keyboard back, and what was written stays. Answers whether somebody was writing. */
function leaveEditor(dialog: HTMLDialogElement): boolean {
  if (!dialog.querySelector('.cm-editor:focus-within .cm-content:not([aria-readonly])')) return false;
  dialog.querySelector<HTMLElement>('.dialog-end button')?.focus();
  return true;
}

/** A dialog over the page: the browser keeps the focus in it, and Escape closes it. What has `data-first` gets the focus first. */
export function Dialog({ title, isWide = false, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current!;
    const before = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const stop = (event: SyntheticEvent) => event.stopPropagation();
  return createPortal(
    <dialog
      ref={ref}
      className={`dialog ${isWide ? 'wide' : ''}`}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault();
        if (!leaveEditor(event.currentTarget)) onClose();
      }}
      // Browsers close what was asked to stay once; then it is closed.
      onClose={onClose}
      onKeyDown={stop}
      onDoubleClick={stop}
      onFocus={stop}
    >
      <div className="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>,
    document.body,
  );
}
