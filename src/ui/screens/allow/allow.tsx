import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../data/request.ts';
import { useSession } from '../../data/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';

/** Where a program in a terminal sends whoever started it: to let it act as them, or not. */
export function Allow() {
  const session = useSession();
  const [query] = useSearchParams();
  const [state, setState] = useState<'asked' | 'busy' | 'allowed'>('asked');
  const [failure, setFailure] = useState<unknown>();
  const [requestId, publicKey, responseType] = ['requestId', 'publicKey', 'responseType'].map(name => query.get(name) ?? undefined);
  const cluster = /^kubeconfig_(.+)$/.exec(responseType ?? '')?.[1];
  const person = session.state === 'in' ? session.person : undefined;

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

  if (requestId === undefined || publicKey === undefined)
    return (
      <Page title="Sign in a program">
        <Empty
          title="No program has asked for anything"
          command="rancher token --server <hub> --user <you> --auth-provider keyCloakProvider"
        >
          The address that the program prints leads here.
        </Empty>
      </Page>
    );
  return (
    <Page title="Sign in a program">
      <dl className="facts">
        <dt>Login Request Id</dt>
        <dd>
          <code>{requestId}</code>
        </dd>
        <dt>It would act as</dt>
        <dd>{person && (person.name === person.username ? person.name : `${person.name} (${person.username})`)}</dd>
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
