import { useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { kinds, pathOf } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';

/** Labels as lines of `key=value`. Services choose clusters by them. */
export function LabelsDialog({ cluster, onClose }: { cluster: Cluster; onClose(): void }) {
  const present = cluster.metadata.labels ?? {};
  const name = cluster.metadata.name!;
  const [text, setText] = useState(() => printLabels(present));
  const changes = changesOf(present, parseLabels(text));
  const words = Object.entries(changes).map(([key, value]) => (value === null ? `${key}-` : `${key}=${value}`));
  return (
    <ActionDialog
      title={`Labels of ${name}`}
      verb="Save"
      isReady={words.length > 0}
      command={words.length > 0 ? `kubectl label --overwrite clusters.drover.io ${name} ${words.join(' ')}` : undefined}
      onClose={onClose}
      onDo={() =>
        request(pathOf(kinds.cluster, { name }), {
          method: 'PATCH',
          contentType: 'application/merge-patch+json',
          body: { metadata: { labels: changes } },
        })
      }
    >
      <label className="field">
        <span className="label">One on each line, as key=value</span>
        <textarea
          className="input mono"
          rows={8}
          spellCheck={false}
          data-first
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <span className="hint">Services that choose clusters by labels come and go with them.</span>
      </label>
    </ActionDialog>
  );
}

export const printLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(pair => pair.join('='))
    .join('\n');

export function parseLabels(text: string): Record<string, string> {
  const lines = text.split('\n').map(line => line.trim());
  return Object.fromEntries(
    lines.filter(Boolean).map(line => {
      const [key = '', ...value] = line.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  );
}

/** As a merge patch has it: null takes a label away. */
export function changesOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const key of Object.keys(before)) if (!(key in after)) changes[key] = null;
  for (const [key, value] of Object.entries(after)) if (before[key] !== value) changes[key] = value;
  return changes;
}
