import type { ReactNode } from 'react';
import { ApiError } from '../data/request.ts';
import { CommandLine } from './command-line.tsx';
import { Icon } from './icon.tsx';

const nextSteps: Readonly<Record<number, string>> = {
  0: 'It is tried again by itself. Look whether the hub runs.',
  401: 'Sign in again.',
  403: 'Ask an administrator for the right that is named.',
  404: 'It may have been removed meanwhile, or this cluster does not serve the kind.',
  409: 'Somebody else changed it meanwhile. Look at what it is now, then try again.',
  422: 'Correct the fields that are named.',
  502: 'The cluster does not answer the hub. Look at its state.',
  503: 'The cluster cannot be reached at the moment. It is tried again by itself.',
};

/** In a dialog that is longer than the window what went wrong is below everything else. */
function inSight(note: HTMLElement | null): void {
  if (note?.closest('dialog')) note.scrollIntoView({ block: 'nearest' });
}

/** What the API said, which field it meant, and what to do next. */
export function ErrorNote({ error, about }: { error: unknown; about?: string }) {
  const { message, code, causes } =
    error instanceof ApiError ? error : { message: error instanceof Error ? error.message : String(error), code: -1, causes: [] };
  const next = nextSteps[code];
  if (code === 403 && about) return <NotForYou what={about} why={message} />;
  return (
    <div className="note bad" role="alert" ref={inSight}>
      <Icon name="bad" />
      <div className="stack tight">
        <p>
          {about && <strong>{about}: </strong>}
          {message}
        </p>
        {causes.length > 0 && (
          <ul>
            {causes.map((cause, i) => (
              <li key={i}>
                <code>{cause.field}</code> {cause.message}
              </li>
            ))}
          </ul>
        )}
        {next && <p>{next}</p>}
      </div>
    </div>
  );
}

/** What somebody may not see is no failure, and nothing to be alarmed about. */
export function NotForYou({ what, why }: { what: string; why: string }) {
  return (
    <div className="note" role="note">
      <Icon name="info" />
      <div className="stack tight">
        <p>
          <strong>{what}: not open to you. </strong>
          {why}.
        </p>
        <p className="muted">Nothing is wrong. An administrator can give you the right if you need it.</p>
      </div>
    </div>
  );
}

/** What a screen is for when there is nothing on it yet, and the first command. */
export function Empty({ title, children, command, action }: { title: string; children?: ReactNode; command?: string; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {command && <CommandLine command={command} />}
      {action}
    </div>
  );
}

/** For those who are nowhere a member yet. */
export function NoClustersForYou() {
  return (
    <Empty title="No cluster is open to you yet">
      Clusters and projects that you are a member of are shown here. Ask whoever looks after the hub to make you a member of one; it appears
      by itself.
    </Empty>
  );
}

/** For addresses that name a part of a screen that it does not have. */
export function NoSuchPart() {
  return <Empty title="There is no such part">The address is not one of this screen. The tabs above are all that it has.</Empty>;
}

export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div className="loading" role="status">
      <Icon name="busy" className="spin" />
      {what}
    </div>
  );
}
