import { useState } from 'react';
import { Icon } from './icon.tsx';

/** A command to copy. */
export function CommandLine({ command, name = 'command' }: { command: string; name?: string }) {
  return (
    <div className="command">
      <code tabIndex={0}>{command}</code>
      <CopyButton text={command} what={name} />
    </div>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    });
  return (
    <button type="button" className="button bare icon-only" onClick={copy} aria-label={`Copy ${what}`} title={`Copy ${what}`}>
      <Icon name={isCopied ? 'good' : 'copy'} />
      <span className="unseen" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}
