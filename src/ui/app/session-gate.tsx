import { useState, type FormEvent, type ReactNode } from 'react';
import { signIn, useSession } from '../data/session.ts';
import icon from '../icon.svg';
import { ErrorNote, Loading } from '../parts/notes.tsx';
import { OtherWays } from './other-ways.tsx';

/** Shows the page to those who are signed in, and the way in to everybody else. */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useSession();
  if (session.state === 'unknown') return <Loading what="Looking who you are" />;
  if (session.state === 'in') return children;
  return (
    <main className="sign-in">
      <SignIn why={session.state === 'out' ? session.why : undefined} error={session.state === 'failed' ? session.error : undefined} />
    </main>
  );
}

function SignIn({ why, error }: { why: string | undefined; error: unknown }) {
  const [username, setUsername] = useState('admin');
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    await signIn(username, password).catch((cause: unknown) => setFailure(cause));
    setBusy(false);
  }

  return (
    <form onSubmit={event => void submit(event)}>
      <h1 className="brand">
        <img src={icon} alt="" />
        Drover
      </h1>
      {why && <p role="status">{why}</p>}
      {error !== undefined && <ErrorNote error={error} />}
      <label className="field">
        <span className="label">User name</span>
        <input className="input" autoComplete="username" required value={username} onChange={event => setUsername(event.target.value)} />
      </label>
      <label className="field">
        <span className="label">Password</span>
        <input
          className="input"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={password}
          onChange={event => setPassword(event.target.value)}
        />
        <span className="hint">The hub printed the first password of “admin” when it first started.</span>
      </label>
      {failure !== undefined && <ErrorNote error={failure} />}
      <button type="submit" className="button main-deed" disabled={isBusy}>
        Sign in
      </button>
      <OtherWays />
    </form>
  );
}
