import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../data/request.ts';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { AllowCode, TypeCode } from './allow-code.tsx';
import { useWhoActs } from './who-acts.ts';

/** Where a program in a terminal sends whoever started it: to let it act as them, or not. */
export function Allow() {
  const who = useWhoActs();
  const [query] = useSearchParams();
  const [state, setState] = useState<'asked' | 'busy' | 'allowed'>('asked');
  const [failure, setFailure] = useState<unknown>();
  const [requestId, publicKey, responseType] = ['requestId', 'publicKey', 'responseType'].map(name => query.get(name) ?? undefined);
  const cluster = /^kubeconfig_(.+)$/.exec(responseType ?? '')?.[1];
  const code = query.get('code');

  async function allow(): Promise<void> {
    setState('busy');
    setFailure(undefined);
    try {
      await request('/v3-public/authTokens', { method: 'POST', body: { requestId, publicKey, responseType } });
      setState('allowed');
    } catch (cause) {
      setFailure(cause);
      setState('asked');
    }
  }

  if (code !== null) return <AllowCode code={code} />;
  if (requestId === undefined || publicKey === undefined) return <TypeCode />;
  return (
    <Page title="Sign in a program">
      <dl className="facts">
        <dt>Login Request Id</dt>
        <dd>
          <code>{requestId}</code>
        </dd>
        <dt>It would act as</dt>
        <dd>{who}</dd>
        <dt>Where</dt>
        <dd>{cluster === undefined ? 'Everywhere you may' : <code>{cluster}</code>}</dd>
      </dl>
      {state === 'allowed' ? (
        <div className="note good" role="status">
          <Icon name="good" />
          <p>Allowed. The program goes on within ten seconds; this page can be closed.</p>
        </div>
      ) : (
        <>
          <p>
            Allow this only if you have just started the program yourself and it shows the same id. Whoever sent you this address otherwise
            would act as you.
          </p>
          {failure !== undefined && <ErrorNote error={failure} about="It was not allowed" />}
          <div className="actions">
            <button type="button" className="button main-deed" disabled={state === 'busy'} onClick={() => void allow()}>
              Allow
            </button>
          </div>
        </>
      )}
    </Page>
  );
}
