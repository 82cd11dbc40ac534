import { useState } from 'react';
import { go } from '../../app/place.tsx';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { userPlace } from './people-kinds.ts';

const leastLength = 12;

/** Somebody who signs in with a password. */
export function AddUser({ onClose }: { onClose(): void }) {
  const [username, setUsername] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');

  async function add(): Promise<void> {
    const { id } = await request<{ id: string }>('/v3/users', {
      method: 'POST',
      body: { username, password, name: name || username, enabled: true },
    });
    await request('/v3/globalrolebindings', { method: 'POST', body: { globalRoleId: 'user', userId: id } });
    go(userPlace(id));
  }

  return (
    <ActionDialog
      title="Add a user"
      verb="Add"
      command={`curl -H "Authorization: Bearer $TOKEN" "$HUB/v3/users" -d '{"username":"${username || 'NAME'}","password":"'"$PASSWORD"'","enabled":true}'`}
      isReady={username !== '' && password.length >= leastLength}
      onDo={add}
      onClose={onClose}
    >
      <label className="field">
        <span className="label">Name to sign in with</span>
        <input
          className="input"
          value={username}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setUsername(event.target.value)}
        />
      </label>
      <label className="field">
        <span className="label">Name that others see</span>
        <input className="input" value={name} autoComplete="off" onChange={event => setName(event.target.value)} />
      </label>
      <label className="field">
        <span className="label">First password</span>
        <input
          className="input"
          type="password"
          value={password}
          autoComplete="new-password"
          onChange={event => setPassword(event.target.value)}
        />
        <span className="hint">At least {leastLength} characters.</span>
      </label>
    </ActionDialog>
  );
}
