import { useEffect, useState } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import { CopyButton } from '../../parts/command-line.tsx';
import { Icon } from '../../parts/icon.tsx';

const shownMs = 30_000;

/** What a Secret holds: hidden until asked for, and hidden again after a while. */
export function SecretValues({ secret }: { secret: KubeObject }) {
  const data = Object.entries((secret['data'] ?? {}) as Record<string, string>);
  return (
    <section className="card stack tight">
      <h2>Values</h2>
      {data.length === 0 && <p className="muted">It holds nothing.</p>}
      <dl className="facts">
        {data.map(([key, value]) => (
          <div key={key} className="fact">
            <dt>
              <code>{key}</code>
            </dt>
            <dd>
              <SecretValue name={key} encoded={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function SecretValue({ name, encoded }: { name: string; encoded: string }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => setShown(false), shownMs);
    return () => clearTimeout(timer);
  }, [isShown]);
  return (
    <div className="row">
      {isShown ? (
        <pre className="text" tabIndex={0}>
          {decode(encoded)}
        </pre>
      ) : (
        <span className="muted">•••••• ({bytesOf(encoded)} bytes)</span>
      )}
      <button type="button" className="button bare" onClick={() => setShown(!isShown)} aria-label={`${isShown ? 'Hide' : 'Show'} ${name}`}>
        <Icon name="eye" />
        {isShown ? 'Hide' : 'Show'}
      </button>
      {isShown && <CopyButton text={decode(encoded)} what={name} />}
    </div>
  );
}

/** How much base64 stands for. */
export const bytesOf = (encoded: string): number => Math.floor((encoded.replace(/=+$/, '').length * 3) / 4);

function decode(encoded: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(encoded), one => one.charCodeAt(0)));
}
