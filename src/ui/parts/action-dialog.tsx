import { useState, type FormEvent, type ReactNode } from 'react';
import { CommandLine } from './command-line.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './notes.tsx';

interface ActionDialogProps {
  readonly title: string;
  /** What the button says: `Remove`, `Save`. */
  readonly verb: string;
  /** What does the same in a terminal. */
  readonly command?: string | undefined;
  readonly isDanger?: boolean;
  /** What must be typed before it can be done. */
  readonly typed?: string | undefined;
  readonly isReady?: boolean;
  /** Closes when it resolves; what it throws is shown. */
  onDo(): Promise<unknown>;
  onClose(): void;
  readonly children?: ReactNode;
}

/** Asks before something is done, names the command for it, and shows what the API says when it refuses. */
export function ActionDialog(props: ActionDialogProps) {
  const { title, verb, command, isDanger = false, typed, isReady = true, onDo, onClose, children } = props;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [text, setText] = useState('');
  const canDo = isReady && !isBusy && (typed === undefined || text === typed);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!canDo) return;
    setBusy(true);
    setError(undefined);
    try {
      await onDo();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={event => void submit(event)}>
        {children}
        {typed !== undefined && <TypedWord word={typed} text={text} onChange={setText} />}
        {command !== undefined && (
          <div className="stack tight">
            <span className="muted">The same in a terminal</span>
            <CommandLine command={command} />
          </div>
        )}
        {error !== undefined && <ErrorNote error={error} />}
        <div className="dialog-end">
          <button type="button" className="button" onClick={onClose} data-first={isDanger || undefined}>
            Cancel
          </button>
          <button type="submit" className={`button ${isDanger ? 'danger' : 'main-deed'}`} disabled={!canDo}>
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What somebody has to type who is about to take something from several clusters. */
export function TypedWord({ word, text, onChange }: { word: string; text: string; onChange(text: string): void }) {
  return (
    <label className="field">
      <span className="label">
        Type <code>{word}</code> to go on
      </span>
      <input className="input" value={text} onChange={event => onChange(event.target.value)} autoComplete="off" spellCheck={false} />
    </label>
  );
}
