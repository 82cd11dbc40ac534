import { useState } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { kinds, pathOf } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { changesOf, parseLabels, printLabels } from './labels.ts';

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
