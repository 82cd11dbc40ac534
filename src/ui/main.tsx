import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { listenToCopies } from './app/copy-times.ts';
import { FetchScreen } from './app/fetch-screen.tsx';
import { SessionGate } from './app/session-gate.tsx';
import { Shell } from './app/shell.tsx';
import { listenToKeys } from './app/shortcuts.tsx';
import { beginTheme } from './app/theme.ts';
import { beginSession } from './data/session.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/table.css';
import './styles/editor.css';
import './styles/home.css';

beginTheme();
listenToKeys();
listenToCopies();
void beginSession();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Router base="/ui">
      <FetchScreen />
      <SessionGate>
        <Shell />
      </SessionGate>
    </Router>
  </StrictMode>,
);
