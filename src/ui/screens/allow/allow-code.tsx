import { useEffect, useState, type FormEvent } from 'react';
import { useSearchParams } from 'wouter';
import { request } from '../../data/request.ts';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useWhoActs } from './who-acts.ts';

interface ProgramLogin {
  readonly id: string;
  readonly program: string;
  readonly from: string;
  readonly askedAt: string;
  readonly expiresAt: string;
  /** Whether only a program on the machine of this browser can take what is allowed. */
  readonly isHere: boolean;
  readonly isDecided: boolean;
}

const pathOf = (code: string, action = '') => `/v1-public/programLogins/${encodeURIComponent(code)}${action}`;

/** For those who were given a code and no link. */
export function TypeCode() {
  const [, setQuery] = useSearchParams();
  const [code, setCode] = useState('');

  function submit(event: FormEvent): void {
    event.preventDefault();
    setQuery({ code: code.trim() });
  }

  return (
    <Page title="Sign in a program">
      <form className="stack" onSubmit={submit}>
        <label className="field">
          <span className="label">Code</span>
          <input
            className="input"
            autoComplete="off"
            autoFocus
            required
            placeholder="BCDF-GHJK"
            value={code}
            onChange={event => setCode(event.target.value)}
          />
          <span className="hint">“drover login” shows it, on whatever machine you started it.</span>
        </label>
        <div className="actions">
          <button type="submit" className="button main-deed">
            Look
          </button>
        </div>
      </form>
    </Page>
  );
}

/** Lets the program that shows this code act as whoever is signed in, or not. Nothing happens before somebody has decided. */
export function AllowCode({ code }: { code: string }) {
  const who = useWhoActs();
  const [login, setLogin] = useState<ProgramLogin>();
  const [state, setState] = useState<'asked' | 'busy' | 'allowed' | 'denied'>('asked');
  const [failure, setFailure] = useState<unknown>();

  useEffect(() => {
    setLogin(undefined);
    setFailure(undefined);
    request<ProgramLogin>(pathOf(code)).then(setLogin, setFailure);
  }, [code]);

  async function decide(action: 'allow' | 'deny'): Promise<void> {
    setState('busy');
    setFailure(undefined);
    try {
      const { returnTo } = await request<{ returnTo?: string }>(pathOf(code, `?action=${action}`), { method: 'POST', body: {} });
      setState(action === 'allow' ? 'allowed' : 'denied');
      if (returnTo?.startsWith('http://127.0.0.1:')) location.assign(returnTo);
    } catch (cause) {
      setFailure(cause);
      setState('asked');
    }
  }

  return (
    <Page title="Sign in a program">
      {!login && failure === undefined && <Loading />}
      {login && (
        <dl className="facts">
          <dt>Code</dt>
          <dd>
            <code>{login.id}</code>
          </dd>
          <dt>It calls itself</dt>
          <dd>{login.program}</dd>
          <dt>It asked from</dt>
          <dd>
            <code>{login.from}</code>, <Time at={login.askedAt} isAgo />
          </dd>
          <dt>It would act as</dt>
          <dd>{who}</dd>
          <dt>Where</dt>
          <dd>Everywhere you may</dd>
          <dt>Who gets it</dt>
          <dd>{login.isHere ? 'Only a program on this machine' : 'Whoever shows this code'}</dd>
        </dl>
      )}
      {failure !== undefined && <ErrorNote error={failure} about={login ? 'It was not decided' : `The code ${code}`} />}
      {login && (state === 'asked' || state === 'busy') && !login.isDecided && (
        <>
          <p>
            Allow this only if you have just started “drover login” yourself and it shows the same code. Whoever sent you this address
            otherwise would act as you.
          </p>
          <div className="row">
            <button type="button" className="button" disabled={state === 'busy'} onClick={() => void decide('deny')}>
              Refuse
            </button>
            <button type="button" className="button main-deed" disabled={state === 'busy'} onClick={() => void decide('allow')}>
              Allow
            </button>
          </div>
        </>
      )}
      {(state === 'allowed' || state === 'denied' || login?.isDecided) && (
        <div className="note good" role="status">
          <Icon name="good" />
          <p>
            {state === 'allowed'
              ? 'Allowed. The program goes on; this page can be closed.'
              : state === 'denied'
                ? 'Refused. The program has been told.'
                : 'This was decided already.'}
          </p>
        </div>
      )}
    </Page>
  );
}
